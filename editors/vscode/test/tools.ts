// What the tests inside of the editor have in common.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Shown } from '../src/extension';
import type { Node } from '../src/tree';

/** Longer than anything takes, on the slowest machine, in milliseconds. */
const PATIENCE = 60_000;

export const ROOT = process.env['GANTRYCD_WORKSPACE'] ?? '';

/** A directory that goes with the test. */
export const SCRATCH = process.env['GANTRYCD_SCRATCH'] ?? '';

export type Test = [name: string, run: () => Promise<void>];

/** What the extension shows. */
export function shown(): Shown {
  const extension = vscode.extensions.getExtension<Shown>('gantrycd.gantrycd');
  if (extension === undefined) {
    throw new Error('the extension is not there');
  }
  return extension.exports;
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await isSo())) {
    if (Date.now() > end) {
      throw new Error(`in vain: ${what}`);
    }
    await new Promise(done => setTimeout(done, 50));
  }
}

export function uri(file: string): vscode.Uri {
  return vscode.Uri.file(path.join(ROOT, file));
}

export function onDisk(file: string): string {
  return fs.readFileSync(path.join(ROOT, file), 'utf8');
}

export function write(file: string, text: string): void {
  fs.writeFileSync(path.join(ROOT, file), text);
}

/** Opens a file with the cursor at a place, counted from 1. */
export async function open(file: string, line = 1, character = 1): Promise<vscode.TextEditor> {
  const at = new vscode.Position(line - 1, character - 1);
  const selection = new vscode.Range(at, at);
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri(file)), { selection });
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return typeof code === 'object' ? code.value : code;
}

/** What the editor says is wrong with a file: severity, code, and where, counted from 1. */
export function diagnostics(file: string): string[] {
  const at = ({ line, character }: vscode.Position) => `${line + 1}:${character + 1}`;
  const all = vscode.languages.getDiagnostics(uri(file)).map(it => {
    const severity = vscode.DiagnosticSeverity[it.severity];
    return `${severity} ${codeOf(it)} ${at(it.range.start)}-${at(it.range.end)}`;
  });
  return all.sort();
}

/** Waits until this and nothing else is wrong with a file: an editor asks for it at its leisure. */
export async function areWrong(file: string, expected: string[]): Promise<void> {
  try {
    await until('diagnostics', () => String(diagnostics(file)) === String(expected));
  } catch {
    assert.deepEqual(diagnostics(file), expected);
  }
}

/** What can be done at a diagnostic. An answer can come back empty while other extensions start. */
export async function actions(document: vscode.Uri, range: vscode.Range, kind: string): Promise<vscode.CodeAction[]> {
  let found: vscode.CodeAction[] = [];
  await until(`an action of kind ${kind}`, async () => {
    found = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document, range, kind, 20);
    return found.length > 0;
  });
  return found;
}

type Shows = 'showErrorMessage' | 'showWarningMessage' | 'showInformationMessage';

/** Has the extension's first message answered while something is done, and returns what all said. */
export async function messages(
  shows: Shows,
  run: (said: string[]) => Promise<void>,
  answer: () => string | undefined = () => undefined,
): Promise<string[]> {
  // the tests are part of the extension, so its part of the editor's interface is ours too
  const window = vscode.window as unknown as Record<Shows, unknown>;
  const real = window[shows];
  const said: string[] = [];
  window[shows] = async (text: string, ...buttons: string[]) => {
    said.push(text);
    const button = said.length === 1 ? answer() : undefined;
    return buttons.find(it => it === button);
  };
  try {
    await run(said);
  } finally {
    window[shows] = real;
  }
  return said;
}

/** The processes of servers that this extension host has started. */
export function servers(): number[] {
  const processes = fs.readdirSync('/proc').filter(it => /^\d+$/.test(it));
  const ours = processes.filter(it => {
    try {
      const status = fs.readFileSync(`/proc/${it}/status`, 'utf8');
      return (
        /^Name:\tgantrycd-ls$/m.test(status) &&
        new RegExp(`^PPid:\t${process.pid}$`, 'm').test(status) &&
        !/^State:\tZ/m.test(status)
      );
    } catch {
      // it has ended meanwhile
      return false;
    }
  });
  return ours.map(Number);
}

/** The tree to a depth, as it is drawn. */
export async function drawn(depth: number, parent?: Node, indent = ''): Promise<string> {
  const { tree } = shown();
  let lines = '';
  for (const node of await tree.getChildren(parent)) {
    const line = tree.getTreeItem(node);
    lines += `${indent}${line.label} ${line.description}\n`;
    if (depth > 1 && line.collapsibleState !== vscode.TreeItemCollapsibleState.None) {
      lines += await drawn(depth - 1, node, `${indent}  `);
    }
  }
  return lines;
}

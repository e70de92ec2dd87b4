// The extension as it is used, inside the extension host of a real VS Code.

import * as assert from 'node:assert/strict';
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Shown } from '../src/extension';

const PATIENCE = 60_000;
const ROOT = process.env['GANTRYCD_WORKSPACE'] ?? '';

type Test = [name: string, run: () => Promise<void>];

let shown: Shown;

const tests: Test[] = [
  [
    'the server starts and says what is wrong, and where',
    async () => {
      await until('diagnostics', () => diagnostics('live/legacy/main.tf').length > 0);
      assert.deepEqual(diagnostics('live/legacy/main.tf'), ['Error duplicate-identity 4:1-4:44']);
      assert.deepEqual(diagnostics('emulators/bob/providers.tf'), ['Error malformed-realm 22:45-22:59']);
      const [found] = vscode.languages.getDiagnostics(uri('live/legacy/main.tf'));
      assert.ok(found);
      assert.equal(found.source, 'gantrycd');
      const related = found.relatedInformation?.map(it => path.relative(ROOT, it.location.uri.fsPath));
      assert.deepEqual(related, ['live/account/storage.tf']);
    },
  ],
  [
    'the status bar tells of the workspace',
    async () => {
      await until('the status', () => /stacks/.test(shown.status.text) && !/loading/.test(shown.status.text));
      assert.match(shown.status.text, /^\$\(layers\) 6 stacks {2}\$\(copy\) 2 duplicates {2}\$\(history\) \d+ (min|h|d)$/);
      const tooltip = (shown.status.tooltip as vscode.MarkdownString).value;
      assert.match(tooltip, /^5 errors, 0 warnings/m);
    },
  ],
  [
    'a hover tells the identity',
    async () => {
      await open('live/legacy/main.tf');
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        uri('live/legacy/main.tf'),
        new vscode.Position(3, 12),
      );
      const text = hovers.flatMap(it => it.contents.map(it => (it as vscode.MarkdownString).value)).join('\n');
      assert.match(text, /Identity `arn:aws:/);
      assert.match(text, /Also claimed by .*`live\/account`/);
    },
  ],
];

// -- the tests' own tools

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await isSo())) {
    if (Date.now() > end) {
      throw new Error(`in vain: ${what}`);
    }
    await new Promise(done => setTimeout(done, 50));
  }
}

function uri(file: string): vscode.Uri {
  return vscode.Uri.file(path.join(ROOT, file));
}

async function open(file: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri(file)));
}

function diagnostics(file: string): string[] {
  const at = ({ line, character }: vscode.Position) => `${line + 1}:${character + 1}`;
  return vscode.languages.getDiagnostics(uri(file)).map(it => {
    const code = typeof it.code === 'object' ? it.code.value : it.code;
    return `${vscode.DiagnosticSeverity[it.severity]} ${code} ${at(it.range.start)}-${at(it.range.end)}`;
  });
}

function say(text: string): void {
  for (const line of text.split('\n')) {
    console.log(`[test] ${line}`);
  }
}

export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<Shown>('gantrycd.gantrycd');
  assert.ok(extension);
  await until('the activation by what the workspace contains', () => extension.isActive);
  shown = extension.exports;
  say(`VS Code ${vscode.version}, Node ${process.version}`);
  let failed = 0;
  for (const [name, run] of tests) {
    const start = Date.now();
    try {
      await run();
      say(`ok ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      say(`FAILED ${name}\n${(error as Error).stack}`);
    }
  }
  say(`${tests.length - failed} of ${tests.length} tests passed`);
  if (failed > 0) {
    throw new Error(`${failed} failed`);
  }
}

// The graph of stacks, which the server draws as a page of its own, in a panel that may do nothing
// but open a file.

import { randomBytes } from 'node:crypto';
import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Graph } from './protocol';

/** A place that the page asks to have opened, counted from 0. */
interface Open {
  type: 'open';
  path: string;
  line: number;
  character: number;
}

export class GraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  constructor(private readonly icon: vscode.Uri) {}

  /** Shows a graph, in the panel that is there if there is one. */
  show(graph: Graph): void {
    this.panel ??= this.create();
    this.panel.webview.html = confined(graph.text, randomBytes(18).toString('base64'));
    this.panel.reveal();
  }

  private create(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('gantrycd.graph', 'Stack Graph', vscode.ViewColumn.Active, {
      enableScripts: true,
      enableFindWidget: true,
      retainContextWhenHidden: true,
      localResourceRoots: [],
    });
    panel.iconPath = this.icon;
    panel.webview.onDidReceiveMessage((message: unknown) => {
      if (isOpen(message)) {
        void open(message);
      }
    });
    panel.onDidDispose(() => (this.panel = undefined));
    return panel;
  }

  dispose(): void {
    this.panel?.dispose();
  }
}

/** What the page comes with: its own policy, by which an editor could not put its styles in. */
const POLICY = /<meta http-equiv="Content-Security-Policy"[^>]*>/;

/** The page with a policy by which only the scripts that it came with run, and nothing is fetched. */
export function confined(page: string, nonce: string): string {
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'`;
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const named = page.replaceAll('<script>', () => `<script nonce="${nonce}">`);
  if (POLICY.test(named)) {
    return named.replace(POLICY, () => meta);
  }
  return named.includes('<head>') ? named.replace('<head>', () => `<head>${meta}`) : meta + named;
}

function isOpen(message: unknown): message is Open {
  const it = message as Partial<Open> | null;
  return (
    it?.type === 'open' &&
    typeof it.path === 'string' &&
    Number.isInteger(it.line) &&
    Number.isInteger(it.character)
  );
}

async function open({ path: file, line, character }: Open): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const candidates = path.isAbsolute(file)
    ? [vscode.Uri.file(file)]
    : folders.map(it => vscode.Uri.joinPath(it.uri, file));
  for (const uri of candidates) {
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      const at = new vscode.Position(line, character);
      await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
      return;
    } catch {
      // of several folders, one has it
    }
  }
  void vscode.window.showWarningMessage(`gantrycd: ${file} cannot be opened.`);
}

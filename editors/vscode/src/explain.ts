// Explanations of resources, as read-only documents whose places are links.

import * as path from 'node:path';

import * as vscode from 'vscode';

import type { Explanation } from './protocol';

const SCHEME = 'gantrycd-explain';

/** `FILE:LINE:COLUMN` or `FILE:LINE`, counted from 1. */
const PLACE = /([^\s:()"]+\.(?:tf|tofu|tfvars|hcl|json)):(\d+)(?::(\d+))?/g;

export class Explanations implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable {
  private readonly found = new Map<string, { text: string; root: string | null }>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
    vscode.workspace.onDidCloseTextDocument(it => this.found.delete(it.uri.toString())),
  ];

  /** Shows an explanation beside what is being edited, or says why there is none. */
  async show(explanation: Explanation): Promise<void> {
    if ('why' in explanation) {
      const { why } = explanation;
      await vscode.window.showInformationMessage(`gantrycd: ${why}.`);
      return;
    }
    const { title, text, root } = explanation;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replaceAll('/', '∕')}` });
    this.found.set(uri.toString(), { text, root });
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preview: true,
      preserveFocus: true,
    });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.found.get(uri.toString())?.text ?? '';
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const root = this.found.get(document.uri.toString())?.root;
    if (root == null) {
      return [];
    }
    const links = [];
    for (const match of document.getText().matchAll(PLACE)) {
      const [text, file = '', line = '1', column = '1'] = match;
      const range = new vscode.Range(document.positionAt(match.index), document.positionAt(match.index + text.length));
      const base = vscode.Uri.parse(root);
      const target = path.isAbsolute(file) ? vscode.Uri.file(file) : vscode.Uri.joinPath(base, file);
      links.push(new vscode.DocumentLink(range, target.with({ fragment: `L${line},${column}` })));
    }
    return links;
  }

  dispose(): void {
    this.changed.dispose();
    this.parts.forEach(it => void it.dispose());
  }
}

// Beside the extension of another server of the same files.

import * as assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { actions, diagnostics, open, type Test, until } from '../tools';

const FILE = 'live/legacy/main.tf';
const OURS = 'Error duplicate-identity 4:1-4:44';
const THEIRS = 'Warning undefined 1:1-1:9';

/** What both say is wrong with the file. */
async function both(): Promise<void> {
  await until('what both find', () => String(diagnostics(FILE)) === String([OURS, THEIRS]));
}

export const beside: Test[] = [
  [
    'both say what is wrong, and an edit that ends what the one found leaves the other',
    async () => {
      const { document } = await open(FILE, 4, 12);
      assert.equal(document.languageId, 'terraform');
      await both();
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(3, 0), '# gantrycd:resource-identity: ignore=true\n');
      await vscode.workspace.applyEdit(edit);
      await until('the other alone', () => String(diagnostics(FILE)) === THEIRS);
      await vscode.commands.executeCommand('undo');
      await both();
    },
  ],
  [
    'a hover, a definition and a lens have the answers of both, each once',
    async () => {
      const { uri } = (await open(FILE, 4, 12)).document;
      const at = new vscode.Position(3, 12);
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri, at);
      const said = hovers.flatMap(it => it.contents.map(text => (text as vscode.MarkdownString).value.slice(0, 19)));
      assert.deepEqual(said.sort(), ['Identity `arn:aws:s', 'what the other says']);
      const data = (await open('live/web/data.tf', 2, 8)).document.uri;
      const definitions = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
        'vscode.executeDefinitionProvider',
        data,
        new vscode.Position(1, 8),
      );
      const files = definitions.map(it => ('targetUri' in it ? it.targetUri : it.uri).path.split('/').slice(-2).join('/'));
      assert.deepEqual(files.sort(), ['account/dns.tf', 'web/data.tf']);
      const account = (await open('live/account/dns.tf')).document.uri;
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', account, 20);
      const titles = lenses.map(it => `${it.range.start.line} ${it.command?.title}`);
      assert.equal(new Set(titles).size, titles.length, String(titles));
      assert.ok(titles.includes('0 the lens of the other'), String(titles));
      assert.ok(titles.some(it => /^6 read by/i.test(it)), String(titles));
    },
  ],
  [
    'both mend, and the other formats alone',
    async () => {
      const { document } = await open(FILE, 4, 12);
      await both();
      const fixes = await actions(document.uri, new vscode.Range(3, 0, 3, 44), 'quickfix');
      const titles = fixes.map(it => it.title);
      const ours = titles.filter(it => it === 'Ignore aws_s3_bucket.customer_uploads in gantrycd');
      assert.equal(ours.length, 1, String(titles));
      assert.equal(titles.filter(it => it === 'the fix of the other').length, 1, String(titles));
      const edits = await vscode.commands.executeCommand<vscode.TextEdit[]>('vscode.executeFormatDocumentProvider', document.uri, {});
      assert.deepEqual(edits.map(it => it.newText), ['# formatted\n']);
    },
  ],
];

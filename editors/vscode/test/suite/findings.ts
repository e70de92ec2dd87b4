// What is wrong, what a resource is, and what can be done about it.

import * as assert from 'node:assert/strict';
import * as path from 'node:path';

import * as vscode from 'vscode';

import { actions, areWrong, diagnostics, messages, onDisk, open, ROOT, shown, type Test, until, uri, write } from '../tools';

const WORKERS = 'emulators/alice/workers.tf';
const COMMENT = '# gantrycd:resource-identity: ignore=true\n';

export const findings: Test[] = [
  [
    'the server starts and says what is wrong, and where',
    async () => {
      await areWrong('live/legacy/main.tf', ['Error duplicate-identity 4:1-4:44']);
      await areWrong('emulators/bob/providers.tf', ['Error malformed-realm 22:45-22:59']);
      assert.deepEqual(diagnostics('live/web/data.tf'), []);
      const [found] = vscode.languages.getDiagnostics(uri('live/legacy/main.tf'));
      assert.equal(found?.source, 'gantrycd');
      const related = found?.relatedInformation?.map(it => path.relative(ROOT, it.location.uri.fsPath));
      assert.deepEqual(related, ['live/account/storage.tf']);
    },
  ],
  [
    'a file without any extension for its language is served',
    async () => {
      const { document } = await open('live/legacy/main.tf');
      assert.equal(document.languageId, 'plaintext');
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        document.uri,
        new vscode.Position(3, 12),
      );
      const text = hovers.flatMap(it => it.contents.map(it => (it as vscode.MarkdownString).value)).join('\n');
      assert.match(text, /^Identity `arn:aws:s3:::example-shop-uploads-eu-west-1`/);
      assert.match(text, /Also claimed by \[`aws_s3_bucket.uploads` of `live\/account`\]\(file:.*storage.tf#L2\)/);
    },
  ],
  [
    'a fix is made, saved, and mends what it was for',
    async () => {
      const { document } = await open(WORKERS);
      await areWrong(WORKERS, ['Information declaration-does-not-reach 7:1-7:43']);
      const [found] = vscode.languages.getDiagnostics(document.uri);
      assert.ok(found);
      const fixes = await actions(document.uri, found.range, 'quickfix');
      const fix = fixes.find(it => it.title === 'Ignore aws_autoscaling_group.workers in gantrycd');
      assert.ok(fix?.edit, fixes.map(it => it.title).join(', '));
      const before = document.getText();
      assert.ok(await vscode.workspace.applyEdit(fix.edit));
      assert.ok(await document.save());
      const after = before.replace('resource "aws_autoscaling_group"', `${COMMENT}resource "aws_autoscaling_group"`);
      assert.equal(onDisk(WORKERS), after);
      await areWrong(WORKERS, []);
      await vscode.commands.executeCommand('undo');
      await document.save();
      assert.equal(onDisk(WORKERS), before);
      await until('it is wrong again', () => diagnostics(WORKERS).length === 1);
    },
  ],
  [
    'all safe fixes of a file are made at once',
    async () => {
      const block = (name: string, value: string) =>
        `resource "aws_sqs_queue" "${name}" {\n  tags = { "gantrycd:resource-identity-relam" = "${value}" }\n}\n`;
      write('live/legacy/queues.tf', block('a', 'x') + block('b', 'y'));
      const { document } = await open('live/legacy/queues.tf');
      await until('both slips', () => diagnostics('live/legacy/queues.tf').length === 2);
      const whole = new vscode.Range(0, 0, document.lineCount, 0);
      const [all] = await actions(document.uri, whole, 'source.fixAll.gantrycd');
      assert.ok(all?.edit);
      await vscode.workspace.applyEdit(all.edit);
      await document.save();
      const mended = (block('a', 'x') + block('b', 'y')).replaceAll('relam', 'realm');
      assert.equal(onDisk('live/legacy/queues.tf'), mended);
      await until('no slip', () => diagnostics('live/legacy/queues.tf').length === 0);
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await vscode.workspace.fs.delete(uri('live/legacy/queues.tf'));
    },
  ],
  [
    'a command ignores what a declaration does not reach in a file, be it one or many',
    async () => {
      const both = ['Error duplicate-identity 6:1-6:31', 'Information declaration-does-not-reach 6:1-6:31'];
      for (const [file, before] of [
        [WORKERS, ['Information declaration-does-not-reach 7:1-7:43']],
        ['emulators/alice/main.tf', both],
      ] as const) {
        const { document } = await open(file);
        await areWrong(file, [...before]);
        const [first] = vscode.languages.getDiagnostics(document.uri);
        assert.ok(first);
        await actions(document.uri, first.range, 'quickfix');
        await vscode.commands.executeCommand('gantrycd.ignoreUnreached');
        assert.ok(document.getText().includes(COMMENT), document.getText());
        await until('it is ignored', () => !diagnostics(file).some(it => it.includes('does-not-reach')));
        await vscode.commands.executeCommand('workbench.action.files.revert');
      }
    },
  ],
  [
    "the editor's settings count, and the client's own are no fault in them",
    async () => {
      const said = await messages('showWarningMessage', async () => {
        const settings = vscode.workspace.getConfiguration('gantrycd');
        await settings.update('checks', { 'duplicate-identity': 'warning' }, vscode.ConfigurationTarget.Global);
        await until('a warning', () => diagnostics('live/legacy/main.tf')[0]?.startsWith('Warning ') ?? false);
        await until('the count of it', () => {
          const tooltip = (shown().status.tooltip as vscode.MarkdownString).value;
          return tooltip.includes('1 error, 4 warnings');
        });
        await settings.update('checks', undefined, vscode.ConfigurationTarget.Global);
        await until('an error', () => diagnostics('live/legacy/main.tf')[0]?.startsWith('Error ') ?? false);
      });
      assert.deepEqual(said, []);
    },
  ],
];

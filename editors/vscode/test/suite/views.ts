// The status bar, the tree of stacks, and the commands that show something.

import * as assert from 'node:assert/strict';
import * as path from 'node:path';

import * as vscode from 'vscode';

import { confined } from '../../src/graph';
import { text } from '../../src/status';
import type { Node } from '../../src/tree';
import { drawn, messages, open, ROOT, shown, type Test, until, uri } from '../tools';

async function find(...labels: string[]): Promise<Node> {
  let found: Node | undefined;
  for (const label of labels) {
    const nodes: Node[] = await shown().tree.getChildren(found);
    found = nodes.find(it => it.item.label === label);
    assert.ok(found, `${label} among ${nodes.map(it => it.item.label)}`);
  }
  assert.ok(found);
  return found;
}

const explanation = () => vscode.window.visibleTextEditors.find(it => it.document.uri.scheme === 'gantrycd-explain');

export const views: Test[] = [
  [
    'the status bar tells of the workspace',
    async () => {
      const { status } = shown();
      await until('the status', () => /stacks/.test(status.text) && !/loading/.test(status.text));
      assert.match(status.text, /^\$\(layers\) 6 stacks {2}\$\(copy\) 2 duplicates {2}\$\(history\) \d+ (min|h|d)$/);
      assert.match((status.tooltip as vscode.MarkdownString).value, /^5 errors, 0 warnings/m);
      assert.equal(status.backgroundColor, undefined);
    },
  ],
  [
    'the status bar is short, and says when something is amiss',
    async () => {
      const running = { is: 'running', version: '0.1.0' } as const;
      const all = { stacks: 1, duplicates: 0, oldestState: null, unreadable: 0, errors: 0, warnings: 0, tree: 1 };
      const now = Date.parse('2026-03-01T12:00:00Z');
      const ago = (hours: number) => now / 1000 - hours * 3600;
      const said = [
        text({ is: 'starting' }, undefined, now),
        text(running, { ...all, stacks: 0, loading: true }, now),
        text(running, { ...all, loading: true }, now),
        text(running, { ...all, loading: false, duplicates: 1, unreadable: 2 }, now),
        text(running, { ...all, loading: false, oldestState: ago(1.5) }, now),
        text(running, { ...all, loading: false, oldestState: ago(47) }, now),
        text(running, { ...all, loading: false, oldestState: ago(49) }, now),
        // a clock that was wrong when the state was written
        text(running, { ...all, loading: false, oldestState: ago(-2) }, now),
        text({ is: 'stopped', why: '' }, { ...all, loading: false }, now),
      ];
      assert.deepEqual(said, [
        '$(loading~spin) gantrycd',
        '$(loading~spin) gantrycd',
        '$(loading~spin) 1 stack',
        '$(layers) 1 stack  $(copy) 1 duplicate  $(circle-slash) 2 unreadable',
        '$(layers) 1 stack  $(history) 90 min',
        '$(layers) 1 stack  $(history) 47 h',
        '$(layers) 1 stack  $(history) 2 d',
        '$(layers) 1 stack  $(history) 0 min',
        '$(warning) gantrycd',
      ]);
    },
  ],
  [
    'the tree has the duplicates and the stacks',
    async () => {
      assert.equal(
        await drawn(2),
        [
          'Duplicates 2',
          '  aws_kms_alias arn:aws:kms:eu-west-1:000000000000:alias/app',
          '  aws_s3_bucket arn:aws:s3:::example-shop-uploads-eu-west-1',
          'Stacks 6',
          '  emulators/alice 5 resources',
          '  emulators/bob 5 resources',
          '  live/account 17 resources',
          '  live/legacy 5 resources',
          '  live/orders 9 resources',
          '  live/web 18 resources',
          '',
        ].join('\n'),
      );
      assert.equal(
        await drawn(3, await find('Stacks', 'live/orders')),
        [
          'Claims 6',
          '  aws_db_instance.orders arn:aws:rds:eu-west-1:111122223333:db:orders',
          '  aws_db_subnet_group.orders arn:aws:rds:eu-west-1:111122223333:subgrp:orders',
          '  aws_security_group.database arn:aws:ec2:eu-west-1:111122223333:security-group/sg-094496345180045fc',
          '  aws_sqs_queue.dead arn:aws:sqs:eu-west-1:111122223333:orders-dead',
          '  aws_sqs_queue.orders arn:aws:sqs:eu-west-1:111122223333:orders',
          '  aws_vpc_security_group_ingress_rule.postgres ' +
            'arn:aws:ec2:eu-west-1:111122223333:security-group-rule/sgr-08f8859e1ab268373',
          'Reads from 1 stack',
          '  live/web 1 data source',
          '    data.aws_security_group.web reads aws_security_group.web',
          '',
        ].join('\n'),
      );
    },
  ],
  [
    'a line of the tree goes to the source',
    async () => {
      const node = await find('Duplicates', 'aws_s3_bucket', 'aws_s3_bucket.customer_uploads');
      const { command } = shown().tree.getTreeItem(node);
      assert.ok(command);
      await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
      const editor = vscode.window.activeTextEditor;
      assert.equal(editor?.document.uri.fsPath, uri('live/legacy/main.tf').fsPath);
      assert.deepEqual(editor?.selection.start, new vscode.Position(3, 0));
    },
  ],
  [
    'the tree follows an edit',
    async () => {
      let changes = 0;
      const listening = shown().tree.onDidChangeTreeData(() => (changes += 1));
      const { document } = await open('live/legacy/main.tf', 4);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(3, 0), '# gantrycd:resource-identity: ignore=true\n');
      await vscode.workspace.applyEdit(edit);
      await until('a change', () => changes > 0);
      await until('one duplicate', async () => (await find('Duplicates')).item.description === '1');
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await until('two again', async () => (await find('Duplicates')).item.description === '2');
      listening.dispose();
    },
  ],
  [
    'a resource is explained beside its source, and its places are links',
    async () => {
      await open('live/web/data.tf', 3, 5);
      await vscode.commands.executeCommand('gantrycd.explainResource');
      await until('the explanation', () => explanation() !== undefined);
      const document = explanation()?.document;
      assert.match(document?.getText() ?? '', /^data\.aws_acm_certificate\.wildcard of live\/web\n─+\n {2}reads /);
      const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
        'vscode.executeLinkProvider',
        document?.uri,
      );
      const targets = links.map(it => `${path.relative(ROOT, it.target?.fsPath ?? '')}#${it.target?.fragment}`);
      assert.deepEqual(targets, ['live/web/data.tf#L2,1', 'live/account/dns.tf#L7,1']);
    },
  ],
  [
    'an address is explained, and what is no resource is said to be none',
    async () => {
      await vscode.commands.executeCommand('gantrycd.explainSubject', 'live/orders/aws_sqs_queue.orders');
      await until('the explanation', () => explanation()?.document.getText().startsWith('aws_sqs_queue.orders') ?? false);
      const said = await messages('showInformationMessage', async () => {
        await vscode.commands.executeCommand('gantrycd.explainSubject', 'aws_sqs_queue.nobody');
        await open('live/web/data.tf', 7, 1);
        await vscode.commands.executeCommand('gantrycd.explainResource');
      });
      assert.equal(said.length, 2, said.join('\n'));
      assert.match(said[0] ?? '', /^gantrycd: .*aws_sqs_queue\.nobody/);
      assert.equal(said[1], 'gantrycd: there is no block at live/web/data.tf:7.');
    },
  ],
  [
    'the page of the graph runs its own scripts and no others',
    async () => {
      const own = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; script-src \'sha256-x\'">';
      const page = `<html><head>${own}<style>a{}</style></head><body><script>go("$&")</script></body></html>`;
      const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'nonce-N'";
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      const rest = '<style>a{}</style></head><body><script nonce="N">go("$&")</script></body></html>';
      assert.equal(confined(page, 'N'), `<html><head>${meta}${rest}`);
      assert.equal(confined(page.replace(own, ''), 'N'), `<html><head>${meta}${rest}`);
      assert.equal(confined('<svg></svg>', 'N'), `${meta}<svg></svg>`);
    },
  ],
  [
    'what a code lens counts is shown by the editor',
    async () => {
      await open('live/account/dns.tf');
      const at = { line: 6, character: 2 };
      const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 30 } };
      const reader = uri('live/web/data.tf');
      const commands = vscode.commands as unknown as { executeCommand: unknown };
      const real = vscode.commands.executeCommand;
      let asked: unknown[] = [];
      commands.executeCommand = async (name: string, ...args: unknown[]) => {
        asked = [name, ...args];
      };
      await real('gantrycd.showReferences', uri('live/account/dns.tf').toString(), at, [
        { uri: reader.toString(), range },
      ]);
      commands.executeCommand = real;
      // what an address caches of itself is no part of it
      const plain = (it: unknown): unknown => JSON.parse(JSON.stringify(it));
      assert.deepEqual(plain(asked), [
        'editor.action.showReferences',
        plain(uri('live/account/dns.tf')),
        { line: 6, character: 2 },
        [plain(new vscode.Location(vscode.Uri.parse(reader.toString()), new vscode.Range(1, 0, 1, 30)))],
      ]);
      assert.ok(asked[2] instanceof vscode.Position);
    },
  ],
];

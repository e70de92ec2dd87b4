// From stack to stack: definitions, references, lenses, symbols.

import * as assert from 'node:assert/strict';
import * as path from 'node:path';

import * as vscode from 'vscode';

import { messages, open, ROOT, shown, type Test, until, uri } from '../tools';

/** A place below the root, counted from 1. */
function told(at: vscode.Uri, { start }: vscode.Range): string {
  return `${path.relative(ROOT, at.fsPath)}:${start.line + 1}:${start.character + 1}`;
}

const places = (all: (vscode.Location | vscode.LocationLink)[]) =>
  all.map(it => ('targetUri' in it ? told(it.targetUri, it.targetSelectionRange ?? it.targetRange) : told(it.uri, it.range)));

export const across: Test[] = [
  [
    'a data source goes to its owner in another stack, and back',
    async () => {
      await until('the status', () => /6 stacks/.test(shown().status.text));
      await open('live/web/data.tf', 2, 8);
      const definitions = await vscode.commands.executeCommand<vscode.Location[]>(
        'vscode.executeDefinitionProvider',
        uri('live/web/data.tf'),
        new vscode.Position(1, 8),
      );
      assert.deepEqual(places(definitions), ['live/account/dns.tf:7:1']);
      await open('live/account/dns.tf', 7, 12);
      const references = await vscode.commands.executeCommand<vscode.Location[]>(
        'vscode.executeReferenceProvider',
        uri('live/account/dns.tf'),
        new vscode.Position(6, 12),
      );
      assert.ok(places(references).includes('live/web/data.tf:2:1'), String(places(references)));
    },
  ],
  [
    'a lens says who reads, and its command can be run',
    async () => {
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        uri('live/account/dns.tf'),
        20,
      );
      const lens = lenses.find(it => it.range.start.line === 6);
      assert.match(lens?.command?.title ?? '', /read by/i);
      assert.equal(lens?.command?.command, 'gantrycd.showReferences');
      await vscode.commands.executeCommand(lens.command.command, ...(lens.command.arguments ?? []));
    },
  ],
  [
    'an ARN finds its owner among the symbols of the workspace',
    async () => {
      const found = await vscode.commands.executeCommand<vscode.SymbolInformation[]>(
        'vscode.executeWorkspaceSymbolProvider',
        'arn:aws:sqs:eu-west-1:111122223333:orders-dead',
      );
      const owners = found.map(it => told(it.location.uri, it.location.range));
      assert.ok(owners.some(it => it.startsWith('live/orders/queues.tf:')), String(owners));
    },
  ],
  [
    'states are refreshed by command, and what came of it is said',
    async () => {
      const said = await messages('showInformationMessage', async said => {
        await vscode.commands.executeCommand('gantrycd.refreshState');
        await until('a word on it', () => said.length > 0);
      });
      // the example keeps its states in files, which need no tool
      assert.deepEqual(said, ['gantrycd: no stack is to be refreshed']);
    },
  ],
];

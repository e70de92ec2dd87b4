// Several folders in one window.

import * as assert from 'node:assert/strict';

import * as vscode from 'vscode';

import { areWrong, drawn, servers, shown, type Test, until } from '../tools';

export const folders: Test[] = [
  [
    'one server serves all folders, each with a tree of its own',
    async () => {
      assert.equal(vscode.workspace.workspaceFolders?.length, 2);
      await until('the status', () => /6 stacks {2}\$\(copy\) 2 duplicates/.test(shown().status.text));
      assert.equal(servers().length, 1);
      await areWrong('emulators/bob/providers.tf', ['Error malformed-realm 22:45-22:59']);
      await areWrong('live/legacy/main.tf', ['Error duplicate-identity 4:1-4:44']);
      assert.equal(
        await drawn(3),
        [
          'emulators ',
          '  Duplicates 1',
          '    aws_kms_alias arn:aws:kms:eu-west-1:000000000000:alias/app',
          '  Stacks 2',
          '    alice 5 resources',
          '    bob 5 resources',
          'live ',
          '  Duplicates 1',
          '    aws_s3_bucket arn:aws:s3:::example-shop-uploads-eu-west-1',
          '  Stacks 4',
          '    account 17 resources',
          '    legacy 5 resources',
          '    orders 9 resources',
          '    web 18 resources',
          '',
        ].join('\n'),
      );
    },
  ],
  [
    'a folder that goes takes its stacks with it',
    async () => {
      assert.ok(vscode.workspace.updateWorkspaceFolders(1, 1));
      await until('the status', () => /2 stacks {2}\$\(copy\) 1 duplicate /.test(shown().status.text));
      assert.equal(servers().length, 1);
      await areWrong('live/legacy/main.tf', []);
      assert.match(await drawn(1), /^Duplicates 1\nStacks 2\n$/);
    },
  ],
];

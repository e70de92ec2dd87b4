// The server's life: where it is found, what is said when it is not, and how it comes back.

import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';

import * as vscode from 'vscode';

import { find, isOlder } from '../../src/server';
import { diagnostics, messages, SCRATCH, servers, shown, type Test, until, uri } from '../tools';

const extension = () => vscode.extensions.getExtension('gantrycd.gantrycd')?.extensionPath ?? '';

const settings = () => vscode.workspace.getConfiguration('gantrycd.server');

/** Has the setting name this server while something is done. */
async function withPath(file: string, run: () => Promise<void>): Promise<void> {
  await settings().update('path', file, vscode.ConfigurationTarget.Workspace);
  try {
    await run();
  } finally {
    await settings().update('path', undefined, vscode.ConfigurationTarget.Workspace);
  }
}

/** An executable file with this script in it. */
function script(name: string, text: string, mode = 0o755): string {
  const file = path.join(SCRATCH, name);
  fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode });
  return file;
}

/** What this window has logged. */
function log(): string {
  const logs = path.join(SCRATCH, 'data/logs');
  const files = fs.readdirSync(logs, { recursive: true, encoding: 'utf8' });
  const ours = files.filter(it => path.basename(it) === 'gantrycd.log');
  return ours.map(it => fs.readFileSync(path.join(logs, it), 'utf8')).join('');
}

async function running(): Promise<number> {
  await until('one server', () => shown().isRunning() && servers().length === 1);
  return servers()[0] ?? 0;
}

export const server: Test[] = [
  [
    'the server is that of the setting, else the own one, else the first on the path',
    async () => {
      const own = path.join(extension(), 'server/gantrycd-ls');
      const directory = fs.mkdtempSync(path.join(SCRATCH, 'path-'));
      const onPath = path.join(directory, 'gantrycd-ls');
      fs.copyFileSync(own, onPath);
      const real = process.env['PATH'];
      const relative = path.relative(process.cwd(), directory);
      try {
        process.env['PATH'] = ['', relative, '/nowhere', directory, real].join(path.delimiter);
        const version = '0.1.0';
        const there = (command: string) => ({ is: 'there', command, version });
        assert.deepEqual(await find({ setting: onPath, extension: extension() }), there(onPath));
        assert.deepEqual(await find({ setting: '', extension: extension() }), there(own));
        assert.deepEqual(await find({ setting: '', extension: '/nowhere' }), there(onPath));
        // what is relative could be the workspace's own
        process.env['PATH'] = ['', relative].join(path.delimiter);
        const missing = await find({ setting: '', extension: '/nowhere' });
        assert.equal(missing.is, 'missing');
        assert.match('why' in missing ? missing.why : '', /^gantrycd-ls was not found: .* linux-x64, and none is on the PATH\.$/);
      } finally {
        process.env['PATH'] = real;
      }
    },
  ],
  [
    'versions are compared by their numbers',
    async () => {
      assert.deepEqual(
        ['0.0.9', '0.1.0', '0.1.0-rc.1', '0.2.0', '0.10.0', '1.0.0'].filter(it => isOlder(it, '0.2.0')),
        ['0.0.9', '0.1.0', '0.1.0-rc.1'],
      );
    },
  ],
  [
    'what is said is logged when the setting says so',
    async () => {
      await running();
      const hover = async () => {
        await vscode.commands.executeCommand('vscode.executeHoverProvider', uri('live/web/data.tf'), new vscode.Position(1, 5));
      };
      const requests = () => log().match(/Sending request 'textDocument\/hover/g)?.length ?? 0;
      await hover();
      assert.equal(requests(), 0);
      const trace = vscode.workspace.getConfiguration('gantrycd.trace');
      await trace.update('server', 'messages', vscode.ConfigurationTarget.Global);
      await until('a request in the log', async () => {
        await hover();
        return requests() > 0;
      });
      await trace.update('server', undefined, vscode.ConfigurationTarget.Global);
    },
  ],
  [
    'a server that was killed comes back, with everything that it said',
    async () => {
      const before = await running();
      process.kill(before, 'SIGKILL');
      await until('another one', () => shown().isRunning() && servers().some(it => it !== before));
      await until('diagnostics', () => diagnostics('live/legacy/main.tf').length > 0);
      await until('the status', () => /6 stacks/.test(shown().status.text));
    },
  ],
  [
    'a command starts it anew, and leaves none behind',
    async () => {
      const before = await running();
      await vscode.commands.executeCommand('gantrycd.restartServer');
      assert.notEqual(await running(), before);
      // many at once are one after the other
      await Promise.all([1, 2, 3].map(() => vscode.commands.executeCommand('gantrycd.restartServer')));
      await running();
    },
  ],
  [
    'a setting that names no file is said, and the server starts again without it',
    async () => {
      const said = await messages('showErrorMessage', async said => {
        await withPath('/nowhere/gantrycd-ls', async () => {
          await until('the message', () => said.length > 0);
          await until('the warning', () => /^\$\(warning\)/.test(shown().status.text));
          await until('the end of the server', () => servers().length === 0);
        });
        await running();
      });
      assert.deepEqual(said, ['The setting gantrycd.server.path names /nowhere/gantrycd-ls, which is no file.']);
    },
  ],
  [
    'a server that is too old is said to be',
    async () => {
      const old = script('old', 'echo gantrycd-ls 0.0.9');
      const said = await messages('showErrorMessage', async said => {
        await withPath(old, () => until('the message', () => said.length > 0));
        await running();
      });
      assert.deepEqual(said, [`${old} is gantrycd-ls 0.0.9, and this extension needs 0.1.0 or later.`]);
    },
  ],
  [
    'so is one that cannot be run, that fails, or that is something else',
    async () => {
      const cases = [
        [script('locked', '', 0o644), 'cannot be run: it is not executable.'],
        [script('failing', 'echo no libraries >&2; exit 3'), 'cannot be run: no libraries.'],
        [script('other', 'echo something-else 1.2.3'), 'is no gantrycd-ls: it says that it is "something-else 1.2.3".'],
      ] as const;
      for (const [file, why] of cases) {
        const said = await messages('showErrorMessage', async said => {
          await withPath(file, () => until('the message', () => said.length > 0));
          await running();
        });
        assert.deepEqual(said, [`${file} ${why}`]);
      }
    },
  ],
  [
    'what a server cannot do is said',
    async () => {
      // one that announces none of its commands under their names
      const own = `${extension()}/server/gantrycd-ls`;
      const rename = 'process.stdin.on("data", it => process.stdout.write(String(it).replaceAll("\\"gantrycd.", "\\"nobodys_.")))';
      const lesser = script(
        'lesser',
        `[ "$1" = --version ] && exec ${own} --version\n${own} "$@" | ${process.execPath} -e '${rename}'`,
      );
      await withPath(lesser, async () => {
        // that of the script is no child of ours
        await until('it', () => shown().isRunning() && servers().length === 0);
        const said = await messages('showWarningMessage', async () => {
          await vscode.commands.executeCommand('gantrycd.refreshState');
          await vscode.commands.executeCommand('gantrycd.openGraph');
          await vscode.commands.executeCommand('gantrycd.explainSubject', 'aws_sqs_queue.orders');
        });
        assert.deepEqual(said, [
          'gantrycd: this server (version 0.1.0) cannot refresh cached states yet.',
          'gantrycd: this server (version 0.1.0) cannot draw the stack graph yet.',
          'gantrycd: this server (version 0.1.0) cannot explain resources yet.',
        ]);
      });
      await running();
    },
  ],
  [
    'trying again finds what was put there meanwhile',
    async () => {
      const directory = fs.mkdtempSync(path.join(SCRATCH, 'late-'));
      const file = path.join(directory, 'gantrycd-ls');
      const put = () => {
        fs.symlinkSync(path.join(extension(), 'server/gantrycd-ls'), file);
        return 'Try Again';
      };
      const run = async (said: string[]) => {
        await withPath(file, async () => {
          await until('the message', () => said.length > 0);
          await running();
          assert.equal(fs.readFileSync(`/proc/${servers()[0]}/cmdline`, 'utf8').split('\0')[0], file);
        });
        await running();
      };
      const said = await messages('showErrorMessage', run, put);
      assert.deepEqual(said, [`The setting gantrycd.server.path names ${file}, which is no file.`]);
    },
  ],
];

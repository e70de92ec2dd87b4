// Runs the tests of the extension inside the extension host of a real VS Code.

import * as vscode from 'vscode';

import { across } from './suite/across';
import { beside } from './suite/beside';
import { findings } from './suite/findings';
import { folders } from './suite/folders';
import { server } from './suite/server';
import { views } from './suite/views';
import { type Test, until } from './tools';

const SUITES: Record<string, Test[]> = { one: [...findings, ...views, ...server], folders, across, beside };
const TESTS = SUITES[process.env['GANTRYCD_SUITE'] ?? 'one'] ?? [];

function say(text: string): void {
  for (const line of text.split('\n')) {
    console.log(`[test] ${line}`);
  }
}

export async function run(): Promise<void> {
  await until('activation', () => vscode.extensions.getExtension('gantrycd.gantrycd')?.isActive ?? false);
  say(`VS Code ${vscode.version}, Node ${process.version}`);
  let failed = 0;
  for (const [name, run] of TESTS) {
    const start = Date.now();
    try {
      await run();
      say(`ok ${name} (${Date.now() - start} ms)`);
    } catch (error) {
      failed += 1;
      say(`FAILED ${name}\n${(error as Error).stack}`);
    }
  }
  say(`${TESTS.length - failed} of ${TESTS.length} tests passed`);
  if (failed > 0 || TESTS.length === 0) {
    throw new Error(`${failed} failed`);
  }
}

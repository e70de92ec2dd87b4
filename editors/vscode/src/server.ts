// Finds the server's binary, and says in a sentence why there is none that can be used.

import { execFile } from 'node:child_process';
import { constants, promises as fs } from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';

/** The oldest server that this extension works with. */
export const OLDEST = '0.1.0';

/** How long a server may take to say its version, in milliseconds. */
const PATIENCE = 15_000;

/** A server that can be started, or why there is none. */
export type Found =
  | { is: 'there'; command: string; version: string }
  | { is: 'missing'; why: string }
  | { is: 'broken'; command: string; why: string }
  | { is: 'old'; command: string; why: string };

/** Where to look. */
export interface Where {
  /** What the setting says; empty where it says nothing. */
  setting: string;
  /** The directory of the extension. */
  extension: string;
}

/** The server that the setting names, else the extension's own, else the one on the path. */
export async function find(where: Where): Promise<Found> {
  if (where.setting !== '') {
    const command = where.setting.replace(/^~(?=[/\\])/, os.homedir());
    if (!(await isFile(command))) {
      return { is: 'missing', why: `The setting gantrycd.server.path names ${command}, which is no file.` };
    }
    return usable(command);
  }
  const name = process.platform === 'win32' ? 'gantrycd-ls.exe' : 'gantrycd-ls';
  const own = path.join(where.extension, 'server', name);
  if (await isFile(own)) {
    return usable(own);
  }
  // a relative entry would let a workspace bring its own
  const directories = (process.env['PATH'] ?? '').split(path.delimiter).filter(it => path.isAbsolute(it));
  for (const directory of directories) {
    const command = path.join(directory, name);
    if ((await isFile(command)) && (await isExecutable(command))) {
      return usable(command);
    }
  }
  return {
    is: 'missing',
    why: `gantrycd-ls was not found: this build of the extension has none for ${process.platform}-${process.arch}, and none is on the PATH.`,
  };
}

async function usable(command: string): Promise<Found> {
  let said: string;
  try {
    const run = await promisify(execFile)(command, ['--version'], { timeout: PATIENCE, windowsHide: true });
    said = run.stdout.trim();
  } catch (error) {
    return { is: 'broken', command, why: `${command} cannot be run: ${reason(error)}.` };
  }
  const version = /^gantrycd-ls (\d+\.\d+\.\d+\S*)$/.exec(said)?.[1];
  if (version === undefined) {
    return { is: 'broken', command, why: `${command} is no gantrycd-ls: it says that it is "${said.slice(0, 80)}".` };
  }
  if (isOlder(version, OLDEST)) {
    return {
      is: 'old',
      command,
      why: `${command} is gantrycd-ls ${version}, and this extension needs ${OLDEST} or later.`,
    };
  }
  return { is: 'there', command, version };
}

/** Whether a version is older than another, by its three numbers. */
export function isOlder(version: string, other: string): boolean {
  const numbers = (it: string) => it.split(/[.+-]/, 3).map(Number);
  const [a, b] = [numbers(version), numbers(other)];
  const at = [0, 1, 2].find(it => a[it] !== b[it]);
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0);
}

function reason(error: unknown): string {
  const failed = error as NodeJS.ErrnoException & { killed?: boolean; stderr?: string };
  if (failed.killed === true) {
    return 'it does not answer';
  }
  if (failed.code === 'EACCES') {
    return 'it is not executable';
  }
  const line = failed.stderr?.trim().split('\n', 1)[0];
  return line !== undefined && line !== '' ? line : (failed.message.split('\n', 1)[0] ?? 'it fails');
}

async function isFile(file: string): Promise<boolean> {
  return fs.stat(file).then(it => it.isFile(), () => false);
}

async function isExecutable(file: string): Promise<boolean> {
  return fs.access(file, constants.X_OK).then(() => true, () => false);
}

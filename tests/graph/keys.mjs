// Everything can be done without a mouse, and is told to those who do not see it.

import assert from 'node:assert/strict';
import { focused, graph, scale, scenario, stack, told } from './browser.mjs';

await scenario(async (page) => {
  // what comes before the drawing, then one stack of it, whatever their number
  const stops = [];
  for (let stop = 0; stop < 5; stop += 1) {
    await page.keyboard.press('Tab');
    stops.push(await focused(page));
  }
  assert.deepEqual(stops, ['search', 'out', 'in', 'fit', graph.stacks[0].name]);

  await stack(page, 'network').focus();
  const press = async (key) => {
    await page.keyboard.press(key);
    return focused(page);
  };
  // against the arrows and along them
  assert.equal(await press('ArrowRight'), 'shop/web');
  assert.equal(await press('ArrowRight'), 'shop/orders');
  assert.equal(await press('ArrowLeft'), 'shop/web');
  assert.equal(await press('ArrowLeft'), 'network');
  // a line counts, wherever it leads
  await stack(page, 'ring/a').focus();
  for (const key of ['ArrowLeft', 'ArrowRight']) {
    assert.equal(await press(key), 'ring/b');
    assert.equal(await press(key), 'ring/a');
  }
  await stack(page, 'network').focus();
  // down and up in the drawing, all the way to what no line leads to
  const seen = new Set();
  for (let step = 0; step < graph.stacks.length; step += 1) seen.add(await press('ArrowDown'));
  assert.ok(seen.has('Alone'), [...seen].join());
  assert.notEqual(await press('ArrowUp'), 'Alone');

  await stack(page, 'shop/web').focus();
  // visibly
  await press('ArrowLeft');
  await press('ArrowRight');
  const width = () => stack(page, 'shop/web').locator('rect').evaluate((it) => getComputedStyle(it).strokeWidth);
  assert.equal(await width(), '3px');

  assert.equal(await press('Enter'), 'chosen');
  assert.match(await told(page), /shop\/web/);
  // on through the panel
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.localName), 'a');
  assert.equal(await press('Escape'), 'shop/web');
  assert.equal(await told(page), null);
  await page.keyboard.press('Space');
  assert.match(await told(page), /shop\/web/);
  await page.keyboard.press('Escape');

  const fitting = await scale(page);
  await page.keyboard.press('+');
  assert.ok(Math.abs(await scale(page) / fitting - 1.4) < 0.01);
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  assert.ok(Math.abs(await scale(page) / fitting - 1 / 1.4) < 0.01);
  await page.keyboard.press('0');
  assert.equal(await scale(page), fitting);

  // keys of the browser stay its own
  await page.keyboard.press('+');
  await page.keyboard.press('Control+0');
  assert.notEqual(await scale(page), fitting);

  // everything stays in sight in a smaller window, unless somebody looks elsewhere
  const resized = async (width, height) => {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
    return scale(page);
  };
  await page.keyboard.press('0');
  assert.ok(await resized(640, 400) < fitting);
  assert.equal(await resized(1280, 800), fitting);
  await page.keyboard.press('+');
  const closer = await scale(page);
  assert.equal(await resized(640, 400), closer);
  await resized(1280, 800);

  const label = (name) => stack(page, name).getAttribute('aria-label');
  assert.equal(await label('shop/web'), 'shop/web, 1 claim, reads from 1 stack, read by 1 stack');
  assert.equal(
    await label('shared/a'),
    'shared/a, 1 claim, reads from 0 stacks, read by 0 stacks, manages 1 object that others manage',
  );
  assert.match(await label('ring/a'), /, on a cycle$/);
  const roles = await page.$$eval('.stack', (all) => new Set(all.map((it) => it.getAttribute('role'))).size);
  assert.equal(roles, 1);
  assert.equal(await page.locator('.stack[tabindex="0"]').count(), 1);
});

// the wheel goes where the mouse is
await scenario(async (page) => {
  const before = await stack(page, 'network').locator('rect').boundingBox();
  await page.mouse.move(before.x, before.y);
  await page.mouse.wheel(0, -400);
  const fitting = await scale(page);
  await page.waitForFunction((was) => document.getElementById('view').transform.baseVal.consolidate().matrix.a !== was, fitting).catch(() => {});
  const after = await stack(page, 'network').locator('rect').boundingBox();
  assert.ok(after.width > before.width * 1.5, `${after.width} after ${before.width}`);
  assert.ok(Math.hypot(after.x - before.x, after.y - before.y) < 2);
});

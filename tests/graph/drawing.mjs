// Everything that the document has is drawn.

import assert from 'node:assert/strict';
import { graph, scenario, stack } from './browser.mjs';

await scenario(async (page) => {
  const count = (selector) => page.locator(`#picture ${selector}`).count();
  assert.equal(await count('.stack'), graph.stacks.length);
  assert.equal(await count('.reads'), graph.dependencies.length);
  assert.equal(await count('.duplicate'), graph.duplicate_lines.length);
  const onCycles = (all) => all.filter((it) => it.cycle !== null).length;
  assert.equal(await count('.stack.cycle'), onCycles(graph.stacks));
  assert.equal(await count('.reads.cycle'), onCycles(graph.dependencies));

  const titles = await page.$$eval('.stack > title', (all) => all.map((it) => it.textContent));
  assert.deepEqual(titles, graph.stacks.map((it) => it.name));

  // all of it is in sight, and what is applied first stands at the left
  const window = await page.locator('#picture').boundingBox();
  for (const { name } of graph.stacks) {
    const box = await stack(page, name).locator('rect').boundingBox();
    assert.ok(box.x >= window.x && box.x + box.width <= window.x + window.width, name);
    assert.ok(box.y >= window.y && box.y + box.height <= window.y + window.height, name);
  }
  const left = async (name) => (await stack(page, name).boundingBox()).x;
  assert.ok(await left('network') < await left('shop/web'));

  // lines are told apart by more than their colour
  const style = (selector) => page.locator(`#picture ${selector}`).first().evaluate((it) => {
    const { stroke, strokeDasharray, strokeWidth } = getComputedStyle(it);
    return { stroke, strokeDasharray, strokeWidth };
  });
  const reads = await style('.reads:not(.cycle)');
  const cycle = await style('.reads.cycle');
  const duplicate = await style('.duplicate');
  assert.equal(reads.strokeDasharray, 'none');
  assert.notEqual(duplicate.strokeDasharray, 'none');
  assert.notEqual(cycle.strokeWidth, reads.strokeWidth);
  assert.equal(new Set([reads, cycle, duplicate].map((it) => it.stroke)).size, 3);
}, { viewport: { width: 640, height: 480 } });

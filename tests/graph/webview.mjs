// In a webview of VS Code, a source is opened by the editor.

import assert from 'node:assert/strict';
import { graph, scenario, stack } from './browser.mjs';

const { objects } = graph.dependencies.find((it) => it.reader === 'shop/web');
const { source } = objects.find((it) => it.type === 'aws_vpc').owner;

await scenario(async (page) => {
  await stack(page, 'shop/web').click();
  await page.locator('#panel a', { hasText: /^aws_vpc.main$/ }).click();
  const messages = await page.evaluate(() => globalThis.messages);
  assert.deepEqual(messages, [{
    type: 'open',
    path: `${process.env.GANTRYCD_ROOT}/network/main.tf`,
    line: source.range.start.line,
    character: source.range.start.character,
  }]);
}, {
  before: () => {
    globalThis.messages = [];
    globalThis.acquireVsCodeApi = () => ({ postMessage: (it) => globalThis.messages.push(it) });
  },
});

// The page's policy lets nothing out, and nothing else run, whatever got into it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { scenario } from './browser.mjs';

const asked = [];
const server = createServer((request, answer) => {
  asked.push(request.url);
  answer.setHeader('Access-Control-Allow-Origin', '*').end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const elsewhere = `http://127.0.0.1:${server.address().port}`;

await scenario(async (page, { complaints, requests }) => {
  await page.evaluate(async (from) => {
    const add = (name, properties) => document.body.append(Object.assign(document.createElement(name), properties));
    add('script', { textContent: 'globalThis.ran = true' });
    add('script', { src: `${from}/script.js` });
    add('img', { src: `${from}/picture.png` });
    add('p', { innerHTML: '<b onclick="globalThis.ran = true">b</b>' });
    document.querySelector('p > b').click();
    await fetch(from).catch(() => {});
  }, elsewhere);
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
  // of two scripts, a picture, a handler and a request the browser says that they were not allowed
  assert.ok(complaints.length >= 5, complaints.join('\n'));
  const isPolicy = (it) => it.includes('Content Security Policy');
  assert.ok(complaints.every(isPolicy), complaints.join('\n'));
  complaints.length = 0;
  requests.length = 0;
});
assert.deepEqual(asked, []);
server.close();

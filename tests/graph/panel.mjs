// A click on a stack tells of it, and sets what it has to do with apart.

import assert from 'node:assert/strict';
import { graph, near, scenario, stack, told } from './browser.mjs';

const { objects } = graph.dependencies.find((it) => it.reader === 'shop/web');
const { source } = objects.find((it) => it.type === 'aws_vpc').owner;

await scenario(async (page) => {
  assert.equal(await told(page), null);
  await stack(page, 'shop/web').click();
  assert.deepEqual(await near(page), ['network', 'shop/orders', 'shop/web']);
  const text = await told(page);
  for (const part of [
    'shop/web\n',
    '1 claim in 3 rows',
    'Reads from 1 stack',
    'network 2 objects',
    'arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1 aws_vpc',
    'data.aws_vpc.main reads aws_vpc.main',
    'Read by 1 stack',
    'shop/orders 1 object',
    'data.aws_lb.web reads aws_lb.web',
  ]) assert.ok(text.includes(part), `${part}\n---\n${text}`);
  assert.match(text, /State written .+ ago/);
  assert.ok(!text.includes('that others manage'), text);

  // from stack to stack
  await page.locator('#panel .other', { hasText: 'network' }).click();
  assert.match(await told(page), /^×?\s*network\n/);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'chosen');

  // what others manage too, until when, and a realm
  await stack(page, 'shared/a').click();
  const shared = await told(page);
  for (const part of [
    'Manages 1 object that others manage',
    'arn:aws:s3:::logs aws_s3_bucket in realm live',
    'shared/a aws_s3_bucket.x',
    'shared/b aws_s3_bucket.x',
  ]) assert.ok(shared.includes(part), `${part}\n---\n${shared}`);
  assert.deepEqual(await near(page), ['shared/a', 'shared/b']);
  assert.equal(await page.locator('.duplicate.near').count(), 1);

  await stack(page, 'ring/a').click();
  assert.match(await told(page), /On a cycle, which has no order: ring\/a, ring\/b/);

  // nothing of a name is markup
  const odd = graph.stacks.find((it) => it.name.startsWith('odd')).name;
  await stack(page, odd).click();
  assert.equal(await page.locator('#chosen').textContent(), odd);
  assert.equal(await page.locator('#panel img').count(), 0);

  // the end of a drag is no click
  const box = await stack(page, 'network').boundingBox();
  await page.mouse.move(box.x + 10, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 40, { steps: 4 });
  await page.mouse.up();
  const moved = await stack(page, 'network').boundingBox();
  assert.deepEqual([moved.x - box.x, moved.y - box.y].map(Math.round), [50, 30]);
  assert.ok((await told(page)).includes(odd));

  // a click beside all of them closes it
  const { x, y } = await page.locator('#picture').boundingBox();
  await page.mouse.click(x + 5, y + 5);
  assert.equal(await told(page), null);
  assert.deepEqual(await near(page), []);

  // a source is a link to its file
  await stack(page, 'shop/web').click();
  const link = page.locator('#panel a', { hasText: /^aws_vpc.main$/ });
  const href = await link.getAttribute('href');
  assert.match(href, /^file:\/\/\/.*\/network\/main\.tf$/);
  assert.equal(await link.getAttribute('title'), `network/main.tf:${source.range.start.line + 1}`);
});

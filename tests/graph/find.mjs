// A stack is found by its name, an address, an id or a realm.

import assert from 'node:assert/strict';
import { focused, near, scenario, told } from './browser.mjs';

await scenario(async (page) => {
  const search = page.locator('#search');
  const found = () => page.locator('#found li').allInnerTexts();
  const sought = async (text) => {
    await search.fill(text);
    return found();
  };
  await page.keyboard.press('/');
  assert.equal(await focused(page), 'search');
  assert.equal(await search.inputValue(), '');

  assert.deepEqual(await sought('SHOP/W'), ['shop/web\nstack']);
  assert.deepEqual(await near(page), ['shop/web']);
  assert.deepEqual(await sought('alone'), ['Alone\nstack']);
  assert.deepEqual(await sought('arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1'), [
    'arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1\nowns: network',
    'arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1\nreads: shop/web',
  ]);
  assert.deepEqual(await near(page), ['network', 'shop/web']);
  assert.deepEqual(await sought('aws_lb.web'), [
    'aws_lb.web\nin shop/web',
    'data.aws_lb.web\nin shop/orders',
  ]);
  assert.deepEqual(await sought('live'), ['live\nrealm of shared/a', 'live\nrealm of shared/b']);
  assert.deepEqual(await sought('nothing of that name'), []);
  assert.equal(await page.locator('#status').textContent(), '0 stacks found');
  assert.equal(await search.getAttribute('aria-expanded'), 'false');

  // the second, by keys
  await sought('shared/');
  assert.equal(await search.getAttribute('aria-expanded'), 'true');
  assert.equal(await search.getAttribute('aria-activedescendant'), 'found-0');
  await page.keyboard.press('ArrowDown');
  assert.equal(await search.getAttribute('aria-activedescendant'), 'found-1');
  await page.keyboard.press('Enter');
  assert.match(await told(page), /shared\/b/);
  assert.equal(await focused(page), 'shared/b');
  assert.equal(await page.locator('#found').isVisible(), false);

  // by the mouse
  await sought('ring/b');
  await page.locator('#found li').first().click();
  assert.match(await told(page), /ring\/b/);
  assert.equal(await focused(page), 'ring/b');

  // Escape forgets what was sought, and leaves what was chosen
  await page.keyboard.press('/');
  await sought('network');
  await page.keyboard.press('Escape');
  assert.equal(await search.inputValue(), '');
  assert.match(await told(page), /ring\/b/);
  assert.deepEqual(await near(page), ['ring/a', 'ring/b']);
});

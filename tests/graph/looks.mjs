// The page is light or dark as its reader has it, and as an editor has it where it is in one.

import assert from 'node:assert/strict';
import { scenario } from './browser.mjs';

const luminance = (page) => page.evaluate(() => {
  const [, ...parts] = /rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(document.body).backgroundColor);
  const [, ...ink] = /rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(document.querySelector('.stack .name')).fill);
  return [parts, ink].map((it) => it.map(Number).reduce((a, b) => a + b) / 765);
});

for (const colorScheme of ['light', 'dark']) {
  await scenario(async (page) => {
    const is = async (scheme) => {
      const [ground, ink] = await luminance(page);
      assert.ok(scheme === 'dark' ? ground < 0.2 && ink > 0.8 : ground > 0.8 && ink < 0.3, `${scheme}: ${ground} ${ink}`);
    };
    await is(colorScheme);
    for (const [name, scheme] of [['vscode-dark', 'dark'], ['vscode-light', 'light'], ['vscode-high-contrast', 'dark']]) {
      await page.evaluate((it) => { document.body.className = it; }, name);
      await is(scheme);
    }
    // an editor's own colours
    await page.evaluate(() => {
      document.documentElement.style.setProperty('--vscode-editor-background', 'rgb(1, 2, 3)');
    });
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, 'rgb(1, 2, 3)');
  }, { colorScheme });
}

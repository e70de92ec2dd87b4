// The graph of stacks, in a panel that can open a source and nothing else.

import { code, holds, PACKAGE, palette, picture, scenario } from './code.mjs';

await scenario(async () => {
  await code({ install: PACKAGE }, async page => {
    const refused = [];
    page.on('console', it => {
      if (it.text().includes('Content Security Policy')) {
        refused.push(it.text());
      }
    });
    await page.locator('.statusbar-item', { hasText: /6 stacks\s+2 duplicates/ }).waitFor();
    await palette(page, 'gantrycd: Show Stack Graph');
    const frame = page.frameLocator('iframe.webview').frameLocator('iframe#active-frame');
    const stack = name => frame.locator('#view [data-stack], #view .stack', { hasText: name }).first();
    await stack('live/web').waitFor();
    await picture(page, 'graph');
    await stack('live/web').click();
    await frame.locator('#panel', { hasText: 'live/web' }).waitFor();
    await picture(page, 'graph-stack');
    await frame.locator('#panel a').first().click();
    await page.locator('.tabs-container .tab', { hasText: '.tf' }).first().waitFor();
    holds(refused.length === 0, refused.join('\n'));
  });
});

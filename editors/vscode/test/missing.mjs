// A person without a server, who is told, puts one there, and tries again.

import fs from 'node:fs';
import path from 'node:path';

import { code, holds, PACKAGE, picture, scenario, SCRATCH, SERVER } from './code.mjs';

await scenario(async () => {
  const missing = path.join(SCRATCH, 'gantrycd-ls');
  await code({ install: PACKAGE, machine: { 'gantrycd.server.path': missing } }, async page => {
    const toast = page.locator('.notification-toast', { hasText: `names ${missing}, which is no file` });
    await toast.waitFor();
    const buttons = await toast.locator('.monaco-button').allInnerTexts();
    holds(String(buttons) === 'Open Setting,How to Install,Try Again', buttons);
    await page.locator('.statusbar-item.warning-kind', { hasText: 'gantrycd' }).waitFor();
    await page.locator('.activitybar .action-label[aria-label^="gantrycd"]').first().click({ force: true });
    const welcome = page.locator('.welcome-view', { hasText: 'The gantrycd server is not running.' });
    await welcome.waitFor();
    await picture(page, 'missing');
    fs.copyFileSync(SERVER, missing);
    await toast.locator('.monaco-button', { hasText: 'Try Again' }).click();
    await page.locator('.statusbar-item', { hasText: /6 stacks\s+2 duplicates/ }).waitFor();
    await welcome.waitFor({ state: 'hidden' });
  });
});

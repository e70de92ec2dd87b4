// A workspace that nobody trusts yet, which names a server of its own.

import fs from 'node:fs';
import path from 'node:path';

import { code, holds, PACKAGE, palette, picture, scenario, SCRATCH, WORKSPACE } from './code.mjs';

await scenario(async () => {
  const marker = path.join(SCRATCH, 'was-run');
  const own = path.join(WORKSPACE, 'server.sh');
  fs.writeFileSync(own, `#!/bin/sh\ntouch ${marker}\necho gantrycd-ls 0.0.1\n`, { mode: 0o755 });
  fs.mkdirSync(path.join(WORKSPACE, '.vscode'));
  const settings = JSON.stringify({ 'gantrycd.server.path': own });
  fs.writeFileSync(path.join(WORKSPACE, '.vscode/settings.json'), settings);
  const options = {
    install: PACKAGE,
    trusted: false,
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  };
  await code(options, async page => {
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await page.locator('.statusbar-item', { hasText: /6 stacks\s+2 duplicates/ }).waitFor();
    holds(!fs.existsSync(marker), 'the server that the workspace names was not run');
    await page.locator('.activitybar .action-label[aria-label^="gantrycd"]').first().click({ force: true });
    await page.locator('.pane-body .monaco-list-row', { hasText: 'live/web' }).waitFor();
    // no command is run for states
    await page.locator('.action-label[aria-label="Refresh Cached States"][aria-disabled="true"]').first().waitFor();
    await picture(page, 'untrusted');
    await palette(page, 'Workspaces: Manage Workspace Trust');
    await page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
    await page.locator('.notification-toast', { hasText: 'is gantrycd-ls 0.0.1' }).waitFor();
    holds(fs.existsSync(marker), 'it is run when the workspace is trusted');
  });
});

// The workbench as a person sees it, with the extension installed from its package.

import fs from 'node:fs';
import path from 'node:path';

import { code, holds, hovered, PACKAGE, palette, picture, scenario, until, WORKSPACE } from './code.mjs';

const file = name => path.join(WORKSPACE, name);

await scenario(async () => {
  await code({
    install: PACKAGE,
    query: [['openFile', file('emulators/bob/providers.tf')]],
    settings: { 'editor.fontFamily': 'DejaVu Sans Mono', 'editor.wordWrap': 'off' },
  }, async page => {
    const bar = page.locator('.statusbar-item', { hasText: /6 stacks\s+2 duplicates/ });
    await bar.waitFor();

    // -- a malformed realm is underlined, and the hover over it says why
    const lines = page.locator('.editor-group-container .monaco-editor .view-lines');
    await lines.filter({ hasText: 'localstack/bob' }).first().waitFor();
    const wrong = page.locator('.monaco-editor .squiggly-error').first();
    await wrong.waitFor({ state: 'attached' });
    const hover = await hovered(page, wrong, 'gantrycd');
    const said = (await hover.innerText()).replace(/\s+/g, ' ');
    holds(said.includes('The realm "localstack/bob"') && said.includes('malformed-realm'), said);
    await picture(page, 'hover');
    await page.keyboard.press('Escape');

    // -- the view of stacks
    await page.mouse.move(700, 600);
    // the badge lies over the icon
    await page.locator('.activitybar .action-label[aria-label^="gantrycd"]').first().click({ force: true });
    const tree = page.locator('.pane-body .monaco-list-rows');
    const line = text => tree.locator('.monaco-list-row', { hasText: text });
    await line('aws_s3_bucket').first().waitFor();
    await line('live/web').waitFor();
    await line('aws_s3_bucket').first().click();
    await line('aws_s3_bucket.customer_uploads').first().waitFor();
    await line('live/web').click();
    await line('Reads from').first().click();
    await line(/live\/account.*3 data sources/).click();
    await line('data.aws_iam_role.deploy').waitFor();
    await line('aws_s3_bucket.customer_uploads').first().click();
    await lines.filter({ hasText: 'customer_uploads' }).first().waitFor();
    await page.locator('.statusbar-item', { hasText: 'Ln 4, Col 1' }).waitFor();
    const badge = page.locator('.activitybar .action-item', { has: page.locator('[aria-label^="gantrycd"]') });
    await badge.locator('.badge-content', { hasText: /^2$/ }).waitFor();
    await hovered(page, page.locator('.monaco-editor .squiggly-error').last(), 'Also claimed by');
    await picture(page, 'stacks');
    await page.keyboard.press('Escape');

    // -- the problems, by a click on the status bar
    await bar.click();
    const problems = page.locator('.markers-panel .monaco-list-row');
    await problems.filter({ hasText: 'duplicate-identity' }).first().waitFor();
    await page.locator('.panel .action-item', { hasText: 'Problems' }).locator('.badge-content', { hasText: '7' }).waitFor();
    await picture(page, 'problems');
    await hovered(page, bar, 'oldest cached state');
    await picture(page, 'status');
    await page.keyboard.press('Escape');

    // -- a fix, by the keyboard
    const problem = page.locator('.editor-group-container .monaco-editor').first();
    await problem.click();
    const action = page.locator('.action-widget .monaco-list-row', { hasText: 'Ignore aws_s3_bucket.customer_uploads' });
    await until('the fix', async () => {
      await page.keyboard.press('Control+Home');
      for (let down = 0; down < 3; down += 1) {
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Control+.');
      return action.first().waitFor({ timeout: 3_000 }).then(() => true, () => false);
    });
    await picture(page, 'fix');
    await page.keyboard.press('Enter');
    await page.locator('.statusbar-item', { hasText: /6 stacks\s+1 duplicate/ }).waitFor();
    await page.keyboard.press('Control+s');
    const comment = '# gantrycd:resource-identity: ignore=true\nresource "aws_s3_bucket" "customer_uploads"';
    await until('the file is saved', () => fs.readFileSync(file('live/legacy/main.tf'), 'utf8').includes(comment));

    // -- an explanation
    await palette(page, 'gantrycd: Explain Resource at Cursor');
    await lines.filter({ hasText: 'Recorded: what the state says' }).first().waitFor();
    await picture(page, 'explain');

    // -- the walkthrough
    await palette(page, 'View: Close All Editors');
    await palette(page, 'View: Hide Panel');
    await palette(page, 'gantrycd: Get Started');
    await page.locator('.getting-started-step', { hasText: 'Have the server read your stacks' }).waitFor();
    await picture(page, 'walkthrough');
  });
});

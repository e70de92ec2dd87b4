// Runs out/tests.js inside the extension host of a real VS Code, beside the extension itself.

import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { code, EXTENSION, scenario, SCRATCH } from './code.mjs';

await scenario(async () => {
  let finish;
  const finished = new Promise(done => (finish = done));
  const log = path.join(SCRATCH, 'page.log');
  await code({
    workspace: process.env.GANTRYCD_OPENS,
    beside: process.env.GANTRYCD_BESIDE,
    query: [
      ['extensionDevelopmentPath', EXTENSION],
      ['extensionTestsPath', path.join(EXTENSION, 'out/tests.js')],
      ['skipWelcome', 'true'],
      ['skipReleaseNotes', 'true'],
    ],
    ready: async page => {
      await page.exposeFunction('codeAutomationExit', finish);
      await page.exposeFunction('codeAutomationLog', (_, said) => {
        const line = said.join(' ');
        fs.appendFileSync(log, `${line}\n`);
        if (line.startsWith('[test] ')) {
          console.log(line.slice('[test] '.length));
        }
      });
      // A built VS Code runs tests only with the driver of its own smoke tests on, and code-server's
      // command line knows no such switch: it is set in the configuration that the page reads.
      await page.addInitScript(() => {
        const get = Element.prototype.getAttribute;
        Element.prototype.getAttribute = function (name) {
          const value = get.call(this, name);
          if (name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration') {
            return value;
          }
          const configuration = JSON.parse(value);
          configuration.developmentOptions = { ...configuration.developmentOptions, enableSmokeTestDriver: true };
          return JSON.stringify(configuration);
        };
      });
    },
  }, async () => {
    if ((await finished) !== 0) {
      throw new Error('tests have failed');
    }
  });
});

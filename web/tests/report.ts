// A report opens by a double click: report.ts SONDE PROFILE. In each browser that is here it is opened as a file; its rows are
// those of the command, nothing is wrong on the console, and nothing is asked of anybody. TAP.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

import { Firefox } from './firefox.ts';
import { need, needEqual, runTests, Skipped, test } from './tap.ts';

const CHROMIUM = '/usr/bin/chromium', FIREFOX = '/usr/bin/firefox-esr';
const PATIENCE_MS = 120_000;
const ROW = '.tree-row';

const [sonde, profile] = process.argv.slice(2) as [string, string];
interface Seen {
  /** The first rows, as text. */
  readonly rows: readonly string[];
  readonly logs: readonly string[];
  readonly requests: readonly string[];
}

/** The text of all rows once there are some, and the page has come to rest. */
const READ_ROWS = `new Promise((resolve) => {
  const look = () => document.querySelector('${ROW}') ? setTimeout(() => resolve(JSON.stringify([...document.querySelectorAll('${ROW}')].map((row) => row.textContent))), 300) : setTimeout(look, 50);
  setTimeout(() => resolve(JSON.stringify([document.body.textContent])), ${PATIENCE_MS});
  look();
})`;

async function inChromium(url: string): Promise<Seen> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const page = await browser.newPage(), logs: string[] = [], requests: string[] = [];
  page.on('console', (message) => logs.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => logs.push(`error: ${error.message}`));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url, { timeout: PATIENCE_MS });
  const rows = JSON.parse(await page.evaluate(READ_ROWS));
  await browser.close();
  return { rows, logs, requests };
}

async function inFirefox(url: string): Promise<Seen> {
  const firefox = await Firefox.start(FIREFOX);
  try {
    await firefox.goto(url);
    const rows = JSON.parse(await firefox.evaluate(READ_ROWS));
    return { rows, logs: firefox.logs, requests: firefox.requests };
  } finally {
    await firefox.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'report-')), file = join(folder, 'report.html');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

test('a report is written', () => {
  const made = spawnSync(sonde, ['report', profile, '-o', file, '--invert'], { encoding: 'utf8' });
  need(made.status === 0, made.stderr);
});

for (const [browser, program, look] of [['Chromium', CHROMIUM, inChromium], ['Firefox', FIREFOX, inFirefox]] as const)
  test(`${browser} shows the rows of the command, with nothing on the console, and asks nobody`, async () => {
    if (!existsSync(program)) throw new Skipped(`${browser} is not installed`);
    const { rows, logs, requests } = await look(pathToFileURL(file).href);
    const told = JSON.parse(spawnSync(sonde, ['tree', profile, '--json', '--invert', '--depth', '1'], { encoding: 'utf8' }).stdout);
    const missing = (told.nodes as { name: string }[]).slice(0, 5).filter(({ name }) => !rows.some((row) => row.includes(name)));
    need(missing.length === 0, `${missing.map(({ name }) => name).join(', ')} not in\n${rows.slice(0, 20).join('\n')}`);
    need(logs.length === 0, logs.join('\n'));
    needEqual(requests.filter((url) => !/^(file|blob|data|about):/.test(url)), []);
  });

await runTests();

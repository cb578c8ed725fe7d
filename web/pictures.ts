// The pictures of docs/pictures: pictures.ts SONDE FOLDER [NAME...] writes them anew, `./dev pictures` calls it. They show the
// page with a recording of examples/thumbnails.c, which is made here, and with a profile of Firefox that the tests have.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { serveProfile } from './tests/served.ts';

const CHROMIUM = '/usr/bin/chromium';
const SIZE = { width: 1280, height: 800 };
const MOST_BYTES = 200_000;
/** The page has come to rest: nothing was drawn for so long. */
const REST_MS = 700;

const ROOT = path.resolve(import.meta.dirname, '..');
const [sonde, to, ...wanted] = process.argv.slice(2) as [string, string, ...string[]];
const BROWSED = path.join(ROOT, 'tests/data/gecko1.json.gz');
/** It stands on pictures, as the place of the source. */
const work = path.join(tmpdir(), 'thumbnails');
const RECORDED = path.join(work, 'profile.json.gz');

/** As somebody who follows its head does it. */
function record(): void {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  copyFileSync(path.join(ROOT, 'examples/thumbnails.c'), path.join(work, 'thumbnails.c'));
  const include = `-I${path.join(ROOT, 'include')}`;
  execFileSync('cc', ['-O2', '-g', include, '-o', 'thumbnails', 'thumbnails.c', '-lz', '-lpthread'], { cwd: work, stdio: 'inherit' });
  execFileSync(path.resolve(sonde), ['record', '-s', '-o', RECORDED, './thumbnails', '80'], { cwd: work, stdio: 'inherit' });
}

interface Picture {
  readonly profile: string;
  readonly dark?: boolean;
  act(page: Page): Promise<void>;
}

const rest = (page: Page): Promise<void> => page.waitForTimeout(REST_MS);

async function keys(page: Page, ...all: string[]): Promise<void> {
  for (const key of all) {
    await page.keyboard.press(key);
    await rest(page);
  }
}

const worker = (page: Page, number: number): ReturnType<Page['locator']> => page.locator('.track-name', { hasText: `worker ${number}` });

/** Both workers, as one. */
async function workers(page: Page): Promise<void> {
  await worker(page, 1).click();
  await worker(page, 2).click({ modifiers: ['Control'] });
  await rest(page);
}

/** A range of the timeline, from and to as parts of its width. */
async function drag(page: Page, track: string, from: number, until: number): Promise<void> {
  const { x, y, width, height } = (await page.locator('.track', { hasText: track }).first().locator('.track-graphs').boundingBox())!;
  await page.mouse.move(x + from * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + until * width, y + height / 2, { steps: 5 });
  await page.mouse.up();
  await rest(page);
}

const PICTURES: Record<string, Picture> = {
  tree: {
    profile: RECORDED,
    async act(page) {
      await workers(page);
    },
  },
  flame: {
    profile: RECORDED,
    dark: true,
    async act(page) {
      await workers(page);
      await page.getByRole('tab', { name: 'Flame Graph' }).click();
      await page.getByRole('combobox', { name: 'Order' }).selectOption({ label: 'Left heavy' });
      await rest(page);
    },
  },
  functions: {
    profile: RECORDED,
    async act(page) {
      await workers(page);
      await keys(page, '2');
      await page.locator('.table-row', { hasText: 'median_around' }).first().click();
      await rest(page);
    },
  },
  stacks: {
    profile: RECORDED,
    async act(page) {
      await worker(page, 1).click();
      await keys(page, '4');
      await drag(page, 'worker 1', 0.3, 0.45);
    },
  },
  markers: {
    profile: BROWSED,
    async act(page) {
      await keys(page, '5');
      await drag(page, 'file:// Content', 0.57, 0.96);
      await page.locator('.commit-range').click();
      await rest(page);
    },
  },
  source: {
    profile: RECORDED,
    dark: true,
    async act(page) {
      await workers(page);
      await page.locator('.tree-row', { hasText: 'median_around' }).first().click();
      await page.locator('.sidebar-button').click();
      await page.locator('.rows').focus();
      await keys(page, 'Enter', 'a');
    },
  },
};

async function take(browser: Browser, name: string, { profile, dark, act }: Picture): Promise<void> {
  const server = await serveProfile(sonde, [profile]);
  const context = await browser.newContext({ viewport: SIZE, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    await page.goto(`${server.origin}/#token=${server.token}`);
    await page.locator('.tree-row').first().waitFor();
    await rest(page);
    await act(page);
    // Nothing is under the pointer.
    await page.mouse.move(SIZE.width / 2, 1);
    await rest(page);
    const file = path.join(to, `${name}.png`);
    await page.screenshot({ path: file });
    const { size } = statSync(file);
    console.log(`${file}: ${(size / 1000).toFixed(0)} kB`);
    if (size > MOST_BYTES) throw new Error(`${file} has more than ${MOST_BYTES / 1000} kB`);
  } finally {
    await context.close();
    await server.stop();
  }
}

const names = wanted.length > 0 ? wanted : Object.keys(PICTURES);
for (const name of names) if (!PICTURES[name]) throw new Error(`no picture is called ${name}: ${Object.keys(PICTURES).join(', ')}`);
mkdirSync(to, { recursive: true });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
try {
  if (names.some((name) => PICTURES[name]!.profile === RECORDED)) record();
  for (const name of names) await take(browser, name, PICTURES[name]!);
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}

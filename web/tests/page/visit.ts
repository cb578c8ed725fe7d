// A profile in Chromium, as a person sees it: what is pressed, what is pointed at, and what can be read then.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { serveProfile, type Served } from '../served.ts';
import { need, runTests, Skipped } from '../tap.ts';
import { installQuiet } from './quiet.ts';

const CHROMIUM = '/usr/bin/chromium';
/** Only what hangs takes so long. */
const PATIENCE_MS = 120_000;

export const DATA = join(import.meta.dirname, '../../../tests/data');
export const APP = join(DATA, 'cli/app.json');
export const GECKO = join(DATA, 'gecko1.json.gz');

/** `report`: what the tests look at is in reports, and no server is asked. */
const [sondePath, only, transport] = process.argv.slice(2);
export const isReport = transport === 'report';
export const sonde = sondePath ?? '';
export const scratch = mkdtempSync(join(tmpdir(), 'page-'));

let browser: Promise<Browser> | undefined;
const servers = new Map<string, Promise<Served>>();

function theBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Skipped('Chromium is not installed');
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'], timeout: PATIENCE_MS });
  return browser;
}

/** Without what the person who runs the tests has on this machine: a cache, servers of debug files. */
export const OWN_ENVIRONMENT = { XDG_CACHE_HOME: join(scratch, 'cache'), DEBUGINFOD_URLS: '', TZ: 'UTC' };

/** A report of a profile in place of its server. */
async function writeReport(files: readonly string[]): Promise<Served> {
  const isDiff = files[0] === '--diff', what = isDiff ? files : [files[0]!];
  const path = join(scratch, `${isDiff ? 'diff-' : ''}${basename(what[what.length - 1]!)}.html`);
  const { stderr } = await promisify(execFile)(sonde, ['report', ...what, '-o', path], { env: { ...process.env, ...OWN_ENVIRONMENT } }).catch((error: { stderr: string }) => error);
  if (stderr.includes('has no report engine')) throw new Skipped('there is no engine for reports');
  return { pid: 0, begun: 0, origin: pathToFileURL(path).href, token: '', stop: async () => {} };
}

/** The same server for all tests of a profile. */
function serverOf(files: readonly string[]): Promise<Served> {
  const key = files.join('\n'), found = servers.get(key);
  if (found) return found;
  const served = isReport ? writeReport(files) : serveProfile(sonde, files, OWN_ENVIRONMENT);
  servers.set(key, served);
  return served;
}

export interface Row {
  readonly level: number;
  readonly name: string;
  readonly library: string;
  readonly share: string;
  readonly total: string;
  readonly self: string;
  readonly isOpen: boolean | null;
  readonly isSelected: boolean;
}

const text = async (of: Locator): Promise<string> => ((await of.textContent()) ?? '').trim();

export class Visit {
  readonly page: Page;
  readonly served: Served;
  readonly #wrong: string[] = [];

  constructor(page: Page, served: Served) {
    this.page = page;
    this.served = served;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => this.#wrong.push(`the console says: ${message.type()}: ${message.text()}`));
    page.on('pageerror', ({ message }) => this.#wrong.push(`the page throws: ${message}`));
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (/^https?:|^wss?:/.test(url.protocol) && url.host !== new URL(served.origin).host) this.#wrong.push(`the page asks another host: ${url}`);
    });
  }

  /** What holds in every test: nothing on the console, no request to another host. */
  needClean(): void {
    need(this.#wrong.length === 0, this.#wrong.join('\n'));
  }

  async open(address = ''): Promise<void> {
    const { origin, token } = this.served, root = isReport ? origin : `${origin}/`;
    await this.page.goto(isReport ? root : `${root}#token=${token}`);
    await this.page.waitForSelector('.page, .message h1');
    if (address) {
      await this.settled();
      await this.page.goto(root + address);
      await this.page.reload();
    }
    await this.settled();
  }

  async settled(): Promise<void> {
    await this.page.evaluate(() => globalThis.quiet.settled());
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
      await this.settled();
    }
  }

  async click(selector: string, options: Parameters<Locator['click']>[0] = {}): Promise<void> {
    await this.page.locator(selector).first().click(options);
    await this.settled();
  }

  /** Something with this role and name, as a screen reader finds it. */
  async clickOn(role: Parameters<Page['getByRole']>[0], name: string | RegExp, options: Parameters<Locator['click']>[0] = {}): Promise<void> {
    await this.page.getByRole(role, { name, exact: typeof name === 'string' }).first().click(options);
    await this.settled();
  }

  async type(words: string): Promise<void> {
    await this.page.keyboard.type(words);
    await this.settled();
  }

  async text(selector: string): Promise<string> {
    return text(this.page.locator(selector).first());
  }

  texts(selector: string): Promise<string[]> {
    return this.page.locator(selector).evaluateAll((all) => all.filter((one) => (one as HTMLElement).checkVisibility()).map((one) => (one.textContent ?? '').trim()));
  }

  /** The rows of the call tree that exist, from the top. */
  rows(): Promise<Row[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('#panel .tree-row:not([hidden])')]
        .sort((a, b) => Number(a.dataset.row) - Number(b.dataset.row))
        .map((row) => {
          const of = (name: string): string => row.querySelector(`.${name}`)?.textContent ?? '';
          const open = row.getAttribute('aria-expanded');
          return {
            level: Number(row.getAttribute('aria-level')), name: of('name'), library: of('library'), share: of('share'), total: of('total'), self: of('self'),
            isOpen: open === null ? null : open === 'true', isSelected: row.getAttribute('aria-selected') === 'true',
          };
        }),
    );
  }

  /** "2 draw 6 2": level, name, total and self of each row. */
  async tree(): Promise<string[]> {
    return (await this.rows()).map(({ level, name, total, self }) => `${level} ${name} ${total} ${self}`);
  }

  /** The row of a function in the tree, of the first one with this name. */
  row(name: string): Locator {
    return this.page.locator('#panel .tree-row:not([hidden])', { has: this.page.locator('.name', { hasText: new RegExp(`^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) }) }).first();
  }

  async select(name: string): Promise<void> {
    await this.row(name).locator('.name').click();
    await this.settled();
  }

  /** The crumbs of transforms; the first is the whole thread. */
  async crumbs(): Promise<string[]> {
    return (await this.texts('.transform-bar li')).map((crumb) => crumb.replace(/×$/, ''));
  }

  /** The view as options of the command. */
  async commandLine(): Promise<string> {
    await this.clickOn('button', 'Export');
    const line = await this.text('.command-line');
    await this.press('Escape');
    return line;
  }

  /** Where a canvas, or another part of the page, is. */
  async box(selector: string): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await this.page.locator(selector).first().boundingBox();
    need(box !== null, `${selector} is not on the page`);
    return box;
  }

  async pointAt(x: number, y: number): Promise<void> {
    await this.page.mouse.move(x - 1, y);
    await this.page.mouse.move(x, y);
    await this.settled();
  }

  async drag(from: readonly [number, number], to: readonly [number, number]): Promise<void> {
    const { mouse } = this.page, STEPS = 4;
    await mouse.move(...from);
    await mouse.down();
    await mouse.move(...to, { steps: STEPS });
    await mouse.up();
    await this.settled();
  }
}

interface VisitOptions extends BrowserContextOptions {
  readonly address?: string;
  /** A server for this visit alone, which is up already. */
  readonly served?: Served;
}

/** Opens profiles in a window of its own. */
export async function visit(files: string | readonly string[], look: (visit: Visit) => Promise<void>, { address, served, ...options }: VisitOptions = {}): Promise<void> {
  const opened = await theBrowser();
  const at = served ?? (await serverOf(typeof files === 'string' ? [files] : files));
  const context = await opened.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'], ...options });
  try {
    await context.addInitScript(installQuiet);
    const made = new Visit(await context.newPage(), at);
    await made.open(address);
    await look(made);
    await made.settled();
    made.needClean();
  } finally {
    await context.close();
  }
}

/** What a program of tests ends with. Those that leave the clipboard alone can run some at once, each in its own window. */
export async function runAll({ atOnce = 1 } = {}): Promise<void> {
  try {
    await runTests(only, atOnce);
  } finally {
    await (await browser)?.close();
    for (const served of servers.values()) await (await served).stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

// Every panel is one that screen readers can read: axe finds nothing wrong, in both themes, with forced colours, and when all is
// twice as large: access.ts SONDE [TEXT] [report].
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { need, test } from '../tap.ts';
import { APP, isReport, runAll, visit, type Visit } from './visit.ts';

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

async function needAccessible(view: Visit, what: string): Promise<void> {
  const violations = await view.page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations;
  });
  const told = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(' ')} (${failureSummary.replaceAll(/\s+/g, ' ')})`).join(', ')}`);
  need(told.length === 0, `${what}:\n${told.join('\n')}`);
}

/** What can be opened, and the keys or names that open it. */
const OPENED: readonly (readonly [what: string, open: (view: Visit) => Promise<void>])[] = [
  ['the list of keys', (view) => view.press('?')],
  ['the palette', (view) => view.press('Control+k')],
  ['the settings', (view) => view.clickOn('button', 'Settings')],
  ['the export', (view) => view.clickOn('button', 'Export')],
  ['the information', (view) => view.clickOn('button', 'Profile info')],
  ['the list of tracks', (view) => view.click('.track-menu-button')],
  ['the menu of a row', (view) => view.click('#panel .tree-row', { button: 'right' })],
];

async function walk(view: Visit, look: (what: string) => Promise<void>): Promise<void> {
  for (const key of '123456') {
    await view.press(key);
    await look(`panel ${key}`);
  }
  await view.press('2');
  await view.page.getByLabel('Group by').selectOption('library');
  await view.settled();
  await view.click('.function-row .name');
  await view.press('Enter');
  await look('functions by library');
  await view.page.getByLabel('Group by').selectOption('none');
  await view.press('1');
  await view.select('main');
  await view.press('*');
  await view.select('onClick');
  await view.press('Enter', 'a');
  await look('the source and its instructions');
  await view.press('Escape', 'f');
  await look('a transform');
  await view.press('/');
  await view.type('zzz');
  await look('a search without a match');
  await view.press('Control+a', 'Delete', 'Escape');
  for (const [what, open] of OPENED) {
    await open(view);
    await look(what);
    await view.press('Escape');
  }
}

const LOOKS: readonly (readonly [look: string, options: Parameters<typeof visit>[2]])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['light, with forced colours', { colorScheme: 'light', forcedColors: 'active' }],
  ['dark, with forced colours', { colorScheme: 'dark', forcedColors: 'active' }],
  ['light, twice as large', { colorScheme: 'light', viewport: { width: 700, height: 450 }, deviceScaleFactor: 2 }],
];

/** Nothing lies outside of the window, and the panel has a place of its own. */
async function needRoom(view: Visit, what: string): Promise<void> {
  const { width, height } = view.page.viewportSize()!, panel = await view.box('#panel');
  const [scrollWidth, scrollHeight] = await view.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
  need(scrollWidth <= width && scrollHeight <= height, `${what}: the page is ${scrollWidth} × ${scrollHeight} in a window of ${width} × ${height}`);
  need(panel.height >= LEAST_ROWS * ROW && panel.y + panel.height <= height + 1, `${what}: the panel is ${JSON.stringify(panel)} in a window of ${width} × ${height}`);
}

const ROW = 16, LEAST_ROWS = 5;

/** A report is the same page: both themes are enough. */
for (const [look, options] of isReport ? LOOKS.slice(0, 2) : LOOKS)
  test(`axe finds nothing wrong on the page: ${look}`, () =>
    visit(APP, async (view) => {
      await view.page.evaluate(AXE);
      await walk(view, (what) => needAccessible(view, what));
    }, options));

/** Two profiles side by side: here, one beside itself. */
const PAIR = ['--diff', APP, APP];

/** Of two recordings there is no report. */
for (const [look, options] of isReport ? [] : LOOKS)
  test(`axe finds nothing wrong in a comparison: ${look}`, () =>
    visit(PAIR, async (view) => {
      await view.page.evaluate(AXE);
      for (const form of ['Call tree', 'Flame graph', 'Functions']) {
        await view.clickOn('radio', form);
        if (form === 'Functions') await view.click('#panel .compare-row');
        await needAccessible(view, form);
        await needRoom(view, form);
      }
    }, options));

for (const [width, height, deviceScaleFactor] of [[800, 600, 1], [700, 450, 2], [900, 700, 1], [2560, 1440, 2]] as const)
  test(`all is in the window where that is ${width} × ${height}, ${deviceScaleFactor} device pixels each`, () =>
    visit(APP, async (view) => {
      for (const key of '123456') {
        await view.press(key);
        await needRoom(view, `panel ${key}`);
      }
    }, { viewport: { width, height }, deviceScaleFactor }));

await runAll({ atOnce: 3 });

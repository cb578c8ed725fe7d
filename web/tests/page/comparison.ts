// Two recordings side by side: what the panel says is what `sonde diff` says: comparison.ts SONDE [TEXT] [report].
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { need, needEqual, test } from '../tap.ts';
import { command } from './command.ts';
import { isReport, runAll, scratch, visit, type Visit } from './visit.ts';

const BASE = join(scratch, 'base.folded'), NEW = join(scratch, 'new.folded');
writeFileSync(BASE, 'main;parse;read 300\nmain;draw;fill 500\nmain;draw;text 100\nmain;old_way 60\n');
writeFileSync(NEW, 'main;parse;read 310\nmain;draw;fill 700\nmain;draw;text 95\nmain;new_way 40\n');
const PAIR = ['--diff', BASE, NEW];

interface Compared {
  readonly name: string;
  readonly p: number;
  readonly significant: boolean;
  readonly children?: readonly Compared[];
  readonly [sum: string]: unknown;
}

const signed = (delta: number): string => (delta > 0 ? `+${delta}` : String(delta));
const sums = (row: Compared): string[] => ['Self', 'Total'].flatMap((of) => [signed(row[`delta${of}`] as number), `${row[`base${of}`]}`, `${row[`new${of}`]}`]);

/** The rows that `sonde diff` gives, as the panel has them: depth, name, differences and both sides. */
function said(options: readonly string[]): string[] {
  const answer = command('diff', [BASE, NEW, ...options]) as { functions?: Compared[]; nodes?: Compared[] };
  const rows = (list: readonly Compared[], depth: number): string[] => list.flatMap((row) => [[depth, row.name, ...sums(row), row.significant].join(' '), ...rows(row.children ?? [], depth + 1)]);
  return rows(answer.functions ?? answer.nodes ?? [], 1);
}

/** The rows of the panel in the same form. */
const shown = (view: Visit): Promise<string[]> =>
  view.page.locator('#panel .compare-row:not([hidden])').evaluateAll((rows) =>
    rows
      .sort((a, b) => Number((a as HTMLElement).dataset.row) - Number((b as HTMLElement).dataset.row))
      .map((row) => {
        const cells = [...row.children].slice(0, 6).map((cell) => cell.textContent!.replaceAll(',', ''));
        return [row.getAttribute('aria-level') ?? 1, row.querySelector('.name')!.lastElementChild!.textContent, ...cells, !row.classList.contains('chance')].join(' ');
      }));

const chooseForm = (view: Visit, name: string): Promise<void> => view.clickOn('radio', name);

/** What the command line of the page gives is what is shown. */
async function needCommandLine(view: Visit, what: string): Promise<void> {
  const line = await view.commandLine(), [, name, base, now, ...options] = line.split(' ');
  needEqual([name, base, now], ['diff', ...(isReport ? [basename(BASE), basename(NEW)] : [BASE, NEW])], what);
  const rows = said(options.filter((option) => option !== '--all')), found = await shown(view);
  needEqual(found, rows, `${what}: ${line}`);
}

test('the page opens with what changed, in the numbers of sonde diff', () =>
  visit(PAIR, async (view) => {
    needEqual(await view.text('[role=tab][aria-selected=true]'), 'Comparison');
    need((await view.text('.compare-head')).includes('slower 960 samples → 1,145 samples, +19.3% ±3.1 (p <0.001)'), await view.text('.compare-head'));
    needEqual(await shown(view), said(['--sort', 'self']));
    for (const [header, sort] of [['Sort by δ total', 'total'], ['Sort by function', 'name'], ['Sort by p', 'p']] as const) {
      await view.clickOn('button', header);
      needEqual(await shown(view), said(['--sort', sort]), sort);
    }
    needEqual(await view.texts('.compare-row:not([hidden]) .fate:not(:empty)'), ['gone', 'new']);
    await view.clickOn('checkbox', 'Only what changed');
    needEqual((await shown(view)).length, 5);
  }));

test('both call trees are one, which opens and closes by keys', () =>
  visit(PAIR, async (view) => {
    await chooseForm(view, 'Call tree');
    await view.page.locator('#panel .rows').focus();
    const names = async (): Promise<string[]> => (await shown(view)).map((row) => row.split(' ')[1]!);
    needEqual(await names(), ['main', 'draw', 'fill', 'text', 'parse', 'old_way', 'new_way']);
    await view.press('End', 'ArrowUp', 'ArrowUp', 'ArrowRight');
    needEqual(await shown(view), said(['--tree']));
    await view.press('Home', 'ArrowDown', 'ArrowLeft');
    needEqual(await names(), ['main', 'draw', 'parse', 'read', 'old_way', 'new_way']);
    await view.press('ArrowLeft', 'ArrowLeft');
    needEqual(await names(), ['main']);
  }));

test('search, transforms, shares and inversion are those of the command', () =>
  visit(PAIR, async (view) => {
    await view.press('/');
    await view.type('-text');
    await view.press('Escape');
    await needCommandLine(view, 'a search');
    await view.page.locator('#panel .rows').focus();
    await view.press('Home', 'ArrowDown');
    await view.clickOn('checkbox', 'Shares');
    await needCommandLineOfShares(view);
    await view.clickOn('checkbox', 'Shares');
    await view.page.locator('.compare-row:not([hidden])', { hasText: 'draw' }).first().click();
    await view.press('m');
    needEqual((await view.crumbs()).length, 2);
    await needCommandLine(view, 'draw is merged');
    await chooseForm(view, 'Call tree');
    await view.press('i');
    for (let i = 0; i < 8; i++) await openFirstClosed(view);
    needEqual(await shown(view), said(['--tree', '--invert', '--min', '0.01', '--search=-text', '-T', 'merge-function:draw']));
    const before = await shown(view);
    await view.page.reload();
    await view.settled();
    for (let i = 0; i < 8; i++) await openFirstClosed(view);
    needEqual(await shown(view), before, 'after a reload');
  }));

async function openFirstClosed(view: Visit): Promise<void> {
  const closed = view.page.locator('.compare-row[aria-expanded=false]:not([hidden]) .toggle');
  if ((await closed.count()) > 0) await closed.first().click();
  await view.settled();
}

/** Percentages have two digits. */
async function needCommandLineOfShares(view: Visit): Promise<void> {
  const { functions } = command('diff', [BASE, NEW, '--per', 'share', '--search=-text']) as { functions: Compared[] };
  const values = await view.texts('.compare-row:not([hidden]) .value.self');
  needEqual(values, functions.flatMap((row) => [(row.baseSelf as number).toFixed(2), (row.newSelf as number).toFixed(2)]), 'shares');
}

test('the flame graph has both sides, and what is gone', () =>
  visit(PAIR, async (view) => {
    await chooseForm(view, 'Flame graph');
    const box = await view.box('#panel .chart-canvas');
    // main is as wide as both sides need (1,210), draw is first by its name, new_way and old_way stand beside each other.
    const at = (of: number, row: number): readonly [number, number] => [box.x + (of / 1210) * box.width, box.y + box.height - 16 * row - 8];
    const tip = async (of: number, row: number): Promise<string> => {
      await view.pointAt(...at(of, row));
      return view.text('.node-tip');
    };
    need((await tip(600, 0)).startsWith('mainDifference+185 samples'), await view.text('.node-tip'));
    need((await tip(820, 1)).startsWith('new_wayDifference+40 samples (new)Base0 samplesNew40 samples'), await view.text('.node-tip'));
    need((await tip(870, 1)).startsWith('old_wayDifference-60 samples (gone)'), await view.text('.node-tip'));
    need((await tip(1000, 1)).endsWith('may be chance'), await view.text('.node-tip'));
    await view.page.mouse.click(...at(300, 2));
    await view.settled();
    needEqual(await view.text('.node-details h2'), 'fill');
    need((await view.text('.compare-sums')).includes('+200'), await view.text('.compare-sums'));
    await view.press('z');
    await view.pointAt(box.x + box.width - 5, box.y + box.height - 16 * 2 - 8);
    need((await view.text('.node-tip')).startsWith('fill'), 'fill is as wide as all');
    await view.press('Escape', 'ArrowDown');
    needEqual(await view.text('.node-details h2'), 'draw');
    await view.press('ArrowRight');
    needEqual(await view.text('.node-details h2'), 'new_way');
    await view.press('f');
    need((await view.crumbs()).length === 2, 'a key transforms what is chosen');
    need((await view.text('.compare-head')).includes('0 samples → 40 samples'), await view.text('.compare-head'));
  }));

test('what is gone has no source, and its menu says only its name', () =>
  visit(PAIR, async (view) => {
    await view.page.locator('.compare-row:not([hidden])', { hasText: 'old_way' }).first().click({ button: 'right' });
    await view.settled();
    needEqual(await view.texts('.menu-item .menu-title'), ['Copy function name']);
    await view.press('Escape');
    need((await view.text('.node-details')).includes('It is gone'), await view.text('.node-details'));
  }));

test('a page of one profile has no such panel', () =>
  visit(NEW, async (view) => {
    needEqual((await view.texts('[role=tab]')).length, 6);
    await view.press('7');
    needEqual(await view.text('[role=tab][aria-selected=true]'), 'Call Tree');
  }));

test('a link to a comparison opens without one where there is nothing to compare with', () =>
  visit(NEW, async (view) => {
    needEqual(await view.text('[role=tab][aria-selected=true]'), 'Call Tree');
  }, { address: '#/comparison?compare=flame.share' }));

await runAll({ atOnce: 2 });

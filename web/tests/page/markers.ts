// What the page says of markers, the command says, in random states: markers.ts SONDE [TEXT] [report].
import { basename, join } from 'node:path';
import { count as countText, duration, timestamp } from '../../src/format/numbers.ts';
import { durationText } from '../../src/markers/marker.ts';
import { need, needEqual, test, Wrong } from '../tap.ts';
import { Chance } from './chance.ts';
import { told } from './command.ts';
import { DATA, GECKO, runAll, visit, type Visit } from './visit.ts';

const STATES = 12;

interface Listed {
  readonly markers: readonly { readonly name: string; readonly category: string | null; readonly start: number; readonly end: number | null }[];
}
interface Grouped {
  readonly names: readonly { readonly name: string; readonly count: number; readonly total: number | null; readonly avg: number | null; readonly median: number | null; readonly p95: number | null; readonly max: number | null }[];
}
interface Info {
  readonly meta: { readonly duration: number };
  readonly threads: readonly { readonly handle: string; readonly markers: number }[];
}

function randomState(chance: Chance, { meta, threads }: Info, names: readonly string[]): { readonly options: string[]; readonly search: string } {
  const options = chance.some(threads.filter(({ markers }) => markers > 0), chance.of([1, 1, 2])).flatMap(({ handle }) => ['-t', handle]);
  if (chance.often(0.4)) {
    const from = chance.share() * 0.5 * meta.duration + 0.3711;
    options.push('-r', `${from / 1000},${(from + 0.3 * meta.duration) / 1000}`);
  }
  const name = chance.of(names).replaceAll(/[,:]/g, ' ').trim();
  return { options, search: chance.of(['', '', name.slice(0, 4), `name:${name}`, `-name:${name.slice(0, 3)}`, 'cat:o', 'duration:1ms..', `${name.slice(0, 3)}, duration:..20ms`]) };
}

async function show(view: Visit, options: readonly string[], search: string): Promise<void> {
  await view.press('Control+k');
  await view.page.keyboard.insertText(['sonde tree FILE', ...options].join(' '));
  await view.page.locator('.palette li', { hasText: 'Show what this command line says' }).waitFor();
  await view.press('Enter', '6', '/');
  await view.page.keyboard.press('Control+a');
  if (search === '') await view.press('Delete');
  else await view.type(search);
  await view.press('Escape');
  needEqual(await view.texts('.failure'), []);
}

/** The first rows, but for those at the moment of the last one, whose order is of no matter. */
async function compareRows(view: Visit, { markers }: Listed): Promise<void> {
  const ROWS = 15, last = markers[ROWS]?.start ?? Infinity;
  const expected = markers.filter(({ start }) => start < last).map(({ name, category, start, end }) =>
    [timestamp(start, 0.001), durationText(end === null ? NaN : end - start, false), name, category ?? 'Other'].join('|'));
  await view.press('Home');
  const rows = await view.page.locator('.marker-row:not([hidden])').evaluateAll((all) =>
    all.sort((a, b) => Number(a.getAttribute('aria-rowindex')) - Number(b.getAttribute('aria-rowindex'))).map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  const shown = rows.slice(0, expected.length).map(([start, length, name, , category]) => [start, length === 'unknown' ? expected.find((text) => text.startsWith(`${start}|`) && text.includes(`|${name}|`))?.split('|')[1] : length, name, category].join('|'));
  needEqual([...shown].sort(), [...expected].sort(), 'rows of the table');
}

async function compareStatistics(view: Visit, { names }: Grouped): Promise<void> {
  if ((await view.texts('.sidebar button[aria-label=Deselect]')).length > 0) await view.click('.sidebar button[aria-label=Deselect]');
  const expected = names.map(({ name, count: all, total, avg, median, p95, max }) =>
    [name, countText(all), ...(total === null ? [] : [total, avg, median, p95, max].map((value) => duration(value ?? NaN)))].join('|'));
  const shown = await view.page.locator('.marker-stats li').evaluateAll((all) =>
    all.map((one) => [...one.querySelectorAll('.stats-name > *, dd')].map((part) => part.textContent).join('|')));
  needEqual([...shown].sort(), expected.sort(), 'statistics');
}

for (const [number, profile] of [GECKO, join(DATA, 'example-markers.json')].entries())
  test(`what the page says of markers of ${basename(profile)}, the command says`, () =>
    visit(profile, async (view) => {
      const chance = new Chance(number), info = (await told('info', [profile])) as Info;
      const names = ((await told('markers', [profile, '-t', 'all'])) as Grouped).names.map(({ name }) => name);
      let found = 0;
      for (let state = 0; state < STATES; state++) {
        const { options, search } = randomState(chance, info, names), searched = search === '' ? [] : ['--search', search];
        try {
          await show(view, options, search);
          const listed = (await told('markers', [profile, ...options, ...searched, '--list'])) as Listed;
          const grouped = (await told('markers', [profile, ...options, ...searched])) as Grouped;
          if (grouped.names.length > 0) await compareStatistics(view, grouped);
          if (listed.markers.length > 0) await compareRows(view, listed);
          else need((await view.texts('.empty-panel h2')).length === 1, 'the table says that it is empty');
          if (listed.markers.length > 0) found++;
        } catch (error) {
          throw new Wrong(`${[...options, ...searched].join(' ')}\n${error instanceof Wrong ? error.message : String(error)}`);
        }
      }
      need(found > STATES / 3, `only ${found} of ${STATES} states have markers`);
    }));

test('markers of one type have a column for each field of it', () =>
  visit(join(DATA, 'example-markers.json'), async (view) => {
    await view.press('6');
    needEqual(await view.texts('.marker-header .field'), []);
    await view.press('/');
    await view.type('name:allocation');
    await view.press('Escape');
    needEqual(await view.texts('.marker-header .field'), ['Size', 'File', 'Pools', 'Parts']);
    needEqual(await view.texts('.marker-header .details'), []);
    const rows = await view.page.locator('.marker-row:not([hidden])').evaluateAll((all) => all.map((row) => [...row.querySelectorAll('.field')].slice(0, 3).map((cell) => cell.textContent)));
    needEqual(rows, [['20.0KB', 'sky.png', 'gpu, cpu'], ['512B', 'sun.png', '']]);
    await view.press('Control+z');
    needEqual(await view.texts('.marker-header .field'), []);
  }));

/** What the marker chart says of a row, where the pointer is on its label: '' on heads of categories. */
async function labelOf(view: Visit, row: number): Promise<string> {
  const { x, y } = await view.box('#panel .chart-canvas');
  await view.pointAt(x + 400, y + 400);
  await view.pointAt(x + 40, y + row * ROW + ROW / 2);
  return (await view.texts('.tooltip h2')).join();
}

const ROW = 16;
const MARKERS = join(DATA, 'example-markers.json');

test('categories of the marker chart fold and unfold by a click on their head', () =>
  visit(MARKERS, async (view) => {
    await view.press('5');
    const { x, y } = await view.box('#panel .chart-canvas'), labels = (): Promise<string[]> => [0, 1, 2, 3, 4].reduce(async (all, row) => [...(await all), await labelOf(view, row)], Promise.resolve([] as string[]));
    const whole = await labels();
    needEqual(whole, ['', 'flip', 'Frame', '', 'Allocation']);
    await view.page.mouse.click(x + 300, y + ROW / 2);
    await view.settled();
    const folded = ['', '', 'Allocation', '', 'Upload'];
    needEqual(await labels(), folded, 'only the head of the first is there');
    await view.page.reload();
    await view.settled();
    needEqual(await labels(), folded, 'after a reload');
    await view.press('Control+z');
    needEqual(await labels(), whole, 'undone');
    await view.press('Control+k');
    await view.type('Fold all');
    await view.press('Enter');
    needEqual(await labels(), ['', '', '', '', ''], 'all are folded');
    await view.page.mouse.click(x + 300, y + ROW / 2);
    await view.settled();
    needEqual(await labels(), ['', 'flip', 'Frame', '', ''], 'the first is unfolded');
  }));

test('a name of the marker chart is pinned to the top, and let go', () =>
  visit(MARKERS, async (view) => {
    await view.press('5');
    const { x, y } = await view.box('#panel .chart-canvas'), menuAt = async (row: number): Promise<void> => {
      await view.page.mouse.click(x + 40, y + row * ROW + ROW / 2, { button: 'right' });
      await view.settled();
    };
    await menuAt(4);
    await view.clickOn('menuitem', /^Pin Allocation to the top/);
    needEqual([await labelOf(view, 0), await labelOf(view, 1), await labelOf(view, 3)], ['', 'Allocation', 'flip']);
    await view.page.reload();
    await view.settled();
    needEqual(await labelOf(view, 1), 'Allocation', 'after a reload');
    await view.page.mouse.click(x + 300, y + ROW / 2);
    await view.settled();
    needEqual(await labelOf(view, 1), 'Allocation', 'what is pinned does not fold');
    await menuAt(1);
    await view.clickOn('menuitem', /^Unpin Allocation/);
    needEqual(await labelOf(view, 1), 'flip');
  }));

await runAll({ atOnce: 2 });

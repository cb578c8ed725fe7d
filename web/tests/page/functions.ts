// The function list sorts by each of its columns, and has groups in place of functions: functions.ts SONDE [TEXT] [report].
import { need, needEqual, test } from '../tap.ts';
import { command } from './command.ts';
import { GECKO, runAll, visit, type Visit } from './visit.ts';

interface Told {
  readonly functions: readonly { readonly name: string; readonly lib: string | null; readonly file: string | null; readonly self: number; readonly total: number }[];
}

/** Name and both sums of the rows that can be seen. */
const shown = (view: Visit): Promise<string[]> =>
  view.page.locator('.function-row:not([hidden])').evaluateAll((rows) =>
    rows
      .sort((a, b) => Number((a as HTMLElement).dataset.row) - Number((b as HTMLElement).dataset.row))
      .map((row) => {
        const [, self, , total, name] = [...row.children].map((cell) => cell.textContent!);
        const number = (text: string): number => Number(text.replaceAll(',', '').replace('—', '0'));
        return `${name!.replace(/^[▶▼] /, '')} ${number(self!)} ${number(total!)}`;
      }));

const tidy = (value: number): string => String(Number(value.toFixed(1)));

async function needSaid(view: Visit, what: string): Promise<void> {
  await view.page.locator('.function-list .rows').focus();
  await view.press('Home'); // the selected function stays in sight when the order changes
  const line = await view.commandLine(), [, , , ...options] = line.split(' ');
  const { functions } = command('functions', [GECKO, ...options]) as Told;
  const found = await shown(view);
  need(found.length > 3, `${what}: ${found.length} rows`);
  needEqual(found, functions.slice(0, found.length).map(({ name, self, total }) => `${name} ${tidy(self)} ${tidy(total)}`), `${what}: ${line}`);
}

test('functions are sorted by self, total, name or library, as the command does', () =>
  visit(GECKO, async (view) => {
    await view.press('2');
    await needSaid(view, 'by self');
    for (const name of ['total', 'function', 'library']) {
      await view.clickOn('button', `Sort by ${name}`);
      await needSaid(view, `by ${name}`);
    }
    await view.page.reload();
    await view.settled();
    await needSaid(view, 'after a reload');
  }));

test('libraries, files, categories and classes stand for functions, with the sums of the command', () =>
  visit(GECKO, async (view) => {
    await view.press('2');
    for (const group of ['library', 'file', 'category']) {
      await view.page.getByLabel('Group by').selectOption(group);
      await view.settled();
      const { functions } = command('functions', [GECKO, ...(await view.commandLine()).split(' ').slice(3)]) as Told;
      const found = await shown(view);
      needEqual(found, functions.slice(0, found.length).map(({ name, self, total }) => `${name} ${tidy(self)} ${tidy(total)}`), group);
    }
  }));

test('a library opens by a click or a key, and has its functions', () =>
  visit(GECKO, async (view) => {
    await view.press('2');
    await view.page.getByLabel('Group by').selectOption('library');
    await view.settled();
    const before = await shown(view), library = before[0]!.split(' ').slice(0, -2).join(' ');
    await view.page.locator('.function-list .rows').focus();
    await view.press('Home', 'Enter');
    const after = await shown(view), added = after.length - before.length;
    need(added > 0, 'functions have come below it');
    const libraries = await view.page.locator('.function-row[aria-level="2"]:not([hidden]) .library').allTextContents();
    needEqual([...new Set(libraries)], [library.startsWith('(no') ? '' : library]);
    await view.press('ArrowDown');
    const name = await view.text('.function-row.selected .name');
    need((await view.page.locator('.chart-scroll').first().getAttribute('aria-label'))?.includes(name) === true, `${name} is what callers are shown of`);
    await view.press('ArrowLeft', 'ArrowLeft');
    needEqual(await shown(view), before);
  }));

await runAll();

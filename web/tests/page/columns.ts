// The columns of the call tree sort, can be made wider, and more of them can be shown: columns.ts SONDE [TEXT] [report].
import { need, needEqual, test } from '../tap.ts';
import { command } from './command.ts';
import { APP, isReport, runAll, visit, type Visit } from './visit.ts';

const names = async (view: Visit): Promise<string[]> => (await view.rows()).map(({ name }) => name);
const cells = (view: Visit, column: string): Promise<string[]> => view.texts(`#panel .tree-row:not([hidden]) .${column}`);

async function openAll(view: Visit): Promise<void> {
  await view.select('main');
  await view.press('*');
}

async function showColumn(view: Visit, title: string): Promise<void> {
  await view.clickOn('button', /More columns/);
  await view.clickOn('menuitemcheckbox', new RegExp(title));
}

test('each column sorts rows side by side, and Back takes it back', () =>
  visit(APP, async (view) => {
    await openAll(view);
    const usual = await names(view);
    const below = async (): Promise<string[]> => (await view.rows()).filter(({ level }) => level === 3).map(({ name }) => name);
    needEqual(await below(), ['draw', 'parse', 'poll', 'RunScript']);
    await view.clickOn('button', /sort by name/);
    needEqual(await below(), ['RunScript', 'draw', 'parse', 'poll']);
    await view.clickOn('button', /sort by self/);
    needEqual(await below(), ['draw', 'poll', 'parse', 'RunScript']);
    await view.clickOn('button', /sort by library/);
    needEqual(await below(), ['RunScript', 'draw', 'parse', 'poll']);
    await view.page.reload();
    await view.settled();
    needEqual(await below(), ['RunScript', 'draw', 'parse', 'poll'], 'after a reload');
    await view.clickOn('button', /sort by total/);
    needEqual(await names(view), usual);
    await view.press('Control+z');
    needEqual(await below(), ['RunScript', 'draw', 'parse', 'poll'], 'undone');
  }));

test('matches of a search come in the order of the rows', () =>
  visit(APP, async (view) => {
    await openAll(view);
    await view.clickOn('button', /sort by name/);
    await view.press('/');
    await view.type('/^(draw|parse|RunScript)$/');
    await view.clickOn('checkbox', 'Only highlight');
    await view.press('Escape');
    await view.page.locator('.rows').focus();
    await view.press('Home');
    const found: string[] = [];
    for (let i = 0; i < 4; i++) {
      await view.press('n');
      found.push((await view.rows()).find(({ isSelected }) => isSelected)!.name);
    }
    needEqual(found, ['RunScript', 'draw', 'draw', 'parse']);
  }));

test('more columns can be shown: self in percent, and the function wherever it is', () =>
  visit(APP, async (view) => {
    await openAll(view);
    needEqual(await cells(view, 'anywhere'), []);
    await showColumn(view, 'Self in percent');
    await showColumn(view, 'Total of the function, wherever it is');
    const rows = await view.rows(), anywhere = await cells(view, 'anywhere'), share = await cells(view, 'self-share');
    const { functions } = isReport ? { functions: null } : (command('functions', [APP]) as { functions: { name: string; total: number }[] });
    rows.forEach(({ name, self }, i) => {
      if (functions) needEqual(anywhere[i], String(functions.find((one) => one.name === name)?.total), name);
      needEqual(share[i], self === '—' ? '—' : `${((100 * Number(self)) / 12).toFixed(Number(self) > 1 ? 0 : 1)}%`, name);
    });
    await showColumn(view, 'Self in percent');
    needEqual(await cells(view, 'self-share'), []);
  }));

test('the edge of a column makes it wider, by the pointer and by keys', () =>
  visit(APP, async (view) => {
    const width = async (): Promise<number> => Math.round((await view.box('#panel .tree-row .self')).width);
    const before = await width(), edge = await view.box('.column-edge[aria-label="Width of self"]');
    await view.drag([edge.x + 3, edge.y + 8], [edge.x + 43, edge.y + 8]);
    needEqual(await width(), before + 40);
    await view.page.locator('.column-edge[aria-label="Width of self"]').focus();
    await view.press('ArrowLeft');
    needEqual(await width(), before + 32);
    await view.page.locator('.column-edge[aria-label="Width of self"]').dblclick();
    await view.settled();
    needEqual(await width(), before);
  }));

test('the bar of a row has the categories of what ran there', () =>
  visit(APP, async (view) => {
    await openAll(view);
    const bars = (): Promise<string[]> => view.page.locator('#panel .tree-row:not([hidden]) .share').evaluateAll((all) => all.map((one) => (one as HTMLElement).style.backgroundImage));
    const stops = (bar: string): number => bar.split('%').length - 1;
    const [main, , draw] = await bars();
    need(stops(main!) > stops(draw!) && stops(draw!) >= 2, [main, draw]);
    await showColumn(view, 'Categories behind the percentage');
    needEqual((await bars()).filter(Boolean), []);
  }));

await runAll();

// The search goes from match to match, in the panel that is shown: find.ts SONDE [TEXT].
import { need, needEqual, test } from '../tap.ts';
import { APP, runAll, visit, type Visit } from './visit.ts';

const steps = (view: Visit): Promise<string> => view.text('.match-steps span');
const selected = async (view: Visit): Promise<string | undefined> => (await view.rows()).find(({ isSelected }) => isSelected)?.name;

async function search(view: Visit, words: string): Promise<void> {
  await view.press('/');
  await view.type(words);
  await view.page.waitForSelector('.match-steps');
}

test('the tree says how many rows match, and goes to the next and the previous one', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await search(view, 'name:draw');
    needEqual(await steps(view), '2 rows');
    await view.press('Enter');
    needEqual([await steps(view), await selected(view)], ['1 of 2', 'draw']);
    const [first] = (await view.rows()).filter(({ isSelected }) => isSelected);
    await view.press('Escape');
    await view.press('n');
    needEqual([await steps(view), await selected(view)], ['2 of 2', 'draw']);
    need((await view.rows()).find(({ isSelected }) => isSelected)!.level !== first!.level, 'another row is selected');
    await view.press('n');
    needEqual(await steps(view), '1 of 2', 'around the end');
    await view.press('N');
    needEqual(await steps(view), '2 of 2');
  }));

test('Escape leaves the field of the search, and the search as it is', () =>
  visit(APP, async (view) => {
    await search(view, 'name:draw');
    const found = await view.tree();
    need(found.length > 0, 'the search finds something');
    await view.press('Escape');
    needEqual(await view.page.evaluate(() => document.activeElement?.tagName), 'BODY', 'the field has the focus no longer');
    needEqual([await view.page.inputValue('.search input'), await steps(view), await view.tree()], ['name:draw', '2 rows', found]);
    await view.press('/');
    await view.type('memcpy');
    needEqual(await view.page.inputValue('.search input'), 'memcpy', 'what is typed next takes its place');
  }));

test('a match in a closed row is opened', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('ArrowLeft');
    needEqual((await view.rows()).map(({ name }) => name), ['main']);
    await search(view, 'memcpy');
    await view.press('Enter');
    needEqual(await selected(view), 'memcpy');
  }));

test('the flame graph goes to matches, out of a box that is zoomed to where it must', () =>
  visit(APP, async (view) => {
    await view.press('3');
    await search(view, 'onClick');
    await view.press('Enter');
    need((await view.text('#flame-selected')).startsWith('onClick, 100%'), await view.text('#flame-selected'));
  }));

test('the flame graph says how much of all matches', () =>
  visit(APP, async (view) => {
    await view.press('3', '/');
    await view.type('name:draw');
    needEqual(await view.texts('.chart-note'), ['matched 58%']);
    await view.clickOn('checkbox', 'Only highlight');
    needEqual(await view.texts('.chart-note'), ['matched 58%']);
  }));

test('the function list goes to matches', () =>
  visit(APP, async (view) => {
    await view.press('2');
    await view.press('/');
    await view.type('e');
    await view.page.waitForSelector('.match-steps');
    const name = (): Promise<string> => view.text('.function-row.selected:not([hidden]) .name');
    await view.press('Enter');
    const first = await name();
    await view.press('Enter');
    need((await name()) !== first, 'another function is selected');
  }));

test('a search that is found nowhere says so', () =>
  visit(APP, async (view) => {
    await search(view, 'zzz');
    needEqual(await steps(view), 'no row');
    await view.press('Enter');
    needEqual(await steps(view), 'no row');
  }));

await runAll();

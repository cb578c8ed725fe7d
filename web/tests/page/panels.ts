// Every panel of the page opens, and shows what is known of a profile that was made by hand: panels.ts SONDE [TEXT].
import { join } from 'node:path';
import { need, needEqual, test } from '../tap.ts';
import { command } from './command.ts';
import { APP, DATA, isReport, runAll, visit, type Visit } from './visit.ts';

const VECTOR = 'std::vector<std::pair<unsigned long, std::string>, std::allocator<std::pair<unsigned long, std::string>>>::_M_realloc_insert<std::pair<unsigned long, std::string>>';

test('the call tree shows totals and selves', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    needEqual(await view.tree(), [
      '1 main 12 —', '2 run 11 —', '3 draw 6 2', '4 memcpy 3 3', `4 ${VECTOR} 1 1`, '3 parse 2 —', '4 parse 2 2', '3 poll 2 2', '3 RunScript 1 —', '4 onClick 1 —', '5 draw 1 1',
      '2 0x7f1200 1 1',
    ]);
    needEqual((await view.rows()).slice(0, 3).map(({ share, library }) => [share, library]), [['100%', 'app'], ['92%', 'app'], ['50%', 'app']]);
  }));

test('the inverted tree shows leaves, and their callers', () =>
  visit(APP, async (view) => {
    await view.press('i');
    await view.select('draw');
    await view.press('*');
    needEqual((await view.tree()).slice(0, 7), ['1 draw 3 3', '2 run 2 —', '3 main 2 —', '2 onClick 1 —', '3 RunScript 1 —', '4 run 1 —', '5 main 1 —']);
  }));

test('a click on a triangle with Alt opens all that is below, and closes all of it', () =>
  visit(APP, async (view) => {
    const toggle = (name: string): Promise<void> => view.row(name).locator('.toggle').click({ modifiers: ['Alt'] }).then(() => view.settled());
    await view.press('Home', 'ArrowLeft');
    needEqual((await view.tree()).length, 1);
    await toggle('main');
    const all = await view.tree();
    need(all.length > 8, all);
    await toggle('main');
    needEqual((await view.tree()).length, 1);
    await view.press('Home', 'ArrowRight');
    needEqual(await view.tree(), ['1 main 12 —', '2 run 11 —', '2 0x7f1200 1 1'], 'only its children are open then');
  }));

test('the functions show self and total of each', () =>
  visit(APP, async (view) => {
    await view.press('2');
    const rows = (await view.texts('.function-row:not([hidden]) .name')).map((name, i) => [name, i] as const);
    const values = await view.texts('.function-row:not([hidden]) .value');
    const shown = rows.map(([name, i]) => `${name} ${values[2 * i]} ${values[2 * i + 1]}`);
    needEqual(shown, ['draw 3 7', 'memcpy 3 3', 'parse 2 2', 'poll 2 2', '0x7f1200 1 1', `${VECTOR} 1 1`, 'main — 12', 'run — 11', 'RunScript — 1', 'onClick — 1']);
    await view.clickOn('button', 'Sort by total');
    needEqual((await view.texts('.function-row:not([hidden]) .name')).slice(0, 3), ['main', 'run', 'draw']);
  }));

test('the flame graph has a box for each call, told by keys and by the pointer', () =>
  visit(APP, async (view) => {
    await view.press('3');
    const told = (): Promise<string> => view.text('#flame-selected');
    const box = await view.box('#panel canvas'), row = 16;
    // The root is the lowest row, and as wide as all of it.
    await view.page.mouse.click(box.x + box.width / 2, box.y + box.height - row / 2);
    await view.settled();
    needEqual(await told(), 'main, 100%, 12 samples');
    await view.press('ArrowUp');
    needEqual(await told(), 'run, 92%, 11 samples, child 2 of 2 of main');
    await view.press('ArrowUp');
    needEqual(await told(), 'draw, 50%, 6 samples, child 2 of 4 of run');
    await view.press('ArrowRight');
    needEqual(await told(), 'parse, 17%, 2 samples, child 3 of 4 of run');
    await view.press('ArrowDown');
    needEqual(await told(), 'run, 92%, 11 samples, child 2 of 2 of main');
    await view.pointAt(box.x + box.width / 2, box.y + box.height - row / 2);
    const tip = await view.text('.tooltip');
    need(tip.startsWith('100% main') && tip.includes('12 samples'), tip);
  }));

/** What is told of the places of a chart over time: `share` of its times, and the height. */
async function tipsOf(view: Visit, places: readonly (readonly [share: number, y: number])[]): Promise<string[]> {
  const LABELS = 150, MARGIN = 15, box = await view.box('#panel canvas'), tips: string[] = [];
  for (const [share, y] of places) {
    await view.pointAt(box.x + LABELS + (box.width - LABELS - MARGIN) * share, box.y + y);
    tips.push((await view.texts('.tooltip'))[0] ?? '');
  }
  return tips;
}

test('the stack chart shows calls over time, and how long each took', () =>
  visit(APP, async (view) => {
    await view.press('4');
    const ROW = 16, at = (level: number): number => (level + 0.5) * ROW;
    const tips = await tipsOf(view, [[0.2, at(0)], [0.5, at(1)], [0.13, at(2)], [0.13, at(3)], [0.63, at(2)], [0.63, at(3)]]);
    const EXPECTED = [/^12ms mainFrom0\.5ms.*Overall12—/, /^10ms runFrom0\.5ms.*Overall11—/, /^5ms drawFrom500μs.*Overall62/, /^2ms memcpyFrom500μs.*Overall33/, /^1ms pollFrom7\.50ms.*Overall22/, /^$/];
    need(EXPECTED.every((pattern, i) => pattern.test(tips[i]!)), tips);
  }));

test('the marker chart shows markers by category, and tells of each', () =>
  visit(APP, async (view) => {
    await view.press('5');
    // Graphics, its frames; JavaScript, GC; other, a moment, and an interval.
    const ROW = 16, at = (row: number): number => (row + 0.5) * ROW;
    const tips = await tipsOf(view, [[0.2, at(1)], [0.45, at(1)], [0.8, at(3)], [7 / 12, at(5)], [0.8, at(6)], [0.9, at(3)], [0.2, at(0)]]);
    const EXPECTED = [/^Frame2\.75msStart1\.000msNumber1URLhttps:\/\/example\.org\/Category/, /^Frame2msStart4\.500msNumber2/, /^GC750μsStart9\.500ms/, /^Click.*Start7\.500ms/, /^Load3ms.*Start8\.500ms/, /^$/, /^$/];
    need(EXPECTED.every((pattern, i) => pattern.test(tips[i]!)), tips);
  }));

test('the marker table shows when markers were, and what they say', () =>
  visit(APP, async (view) => {
    const rows = (): Promise<string[]> => view.page.locator('.marker-row:not([hidden])').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent).join('|')));
    const FRAME_1 = '1.000ms|2.75ms|Frame|app|Graphics|frame 1', FRAME_2 = '4.500ms|2ms|Frame|app|Graphics|frame 2', CLICK = '7.500ms||Click|app|Other|';
    const LOAD = '8.500ms|3ms|Load|app|Other|page', GC = '9.500ms|750μs|GC|app|JavaScript|minor';
    await view.press('6');
    needEqual(await rows(), [FRAME_1, FRAME_2, CLICK, LOAD, GC]);
    await view.clickOn('button', /^Duration/);
    needEqual(await rows(), [LOAD, FRAME_1, FRAME_2, GC, CLICK]);
    await view.clickOn('button', /^Duration/);
    needEqual(await rows(), [CLICK, GC, FRAME_2, FRAME_1, LOAD]);
    await view.press('End');
    needEqual((await view.texts('.sidebar h2'))[0], 'Load3ms');
  }));

test('markers that are chosen together are counted, and what they last is added up', () =>
  visit(APP, async (view) => {
    const row = (i: number, modifiers: ('Shift' | 'Control')[] = []): Promise<void> =>
      view.page.locator('.marker-row:not([hidden])').nth(i).click({ modifiers }).then(() => view.settled());
    const line = async (): Promise<string[]> => view.texts('.chosen-line > :not(button)');
    await view.press('6');
    await row(0);
    needEqual(await line(), []);
    await row(3, ['Shift']);
    needEqual(await line(), ['4 markers', '7.75ms in all', '2.58ms on average, of 3 that last']);
    await row(1, ['Control']);
    needEqual(await line(), ['3 markers', '5.75ms in all', '2.88ms on average, of 2 that last']);
    await view.clickOn('button', 'Choose none of them');
    needEqual(await line(), []);
    await row(0);
    await view.press('Shift+ArrowDown');
    needEqual(await line(), ['2 markers', '4.75ms in all', '2.38ms on average']);
    await view.press('ArrowDown');
    needEqual([await line(), await view.page.locator('.marker-row.selected').count()], [[], 1]);
  }));

test('a click on a bar of a histogram leaves the markers that it counts', () =>
  visit(APP, async (view) => {
    await view.press('6');
    needEqual(await view.texts('.marker-row:not([hidden]) .details'), ['frame 1', 'frame 2', '', 'page', 'minor']);
    await view.click('.histogram i');
    needEqual(await view.texts('.marker-row:not([hidden]) .field'), ['2', 'https://example.org/x'], 'markers of one type have their fields');
    needEqual(await view.page.locator('.search input').inputValue(), 'name:Frame, duration:2ms..2.0375ms');
    await view.press('Control+z');
    needEqual((await view.texts('.marker-row:not([hidden]) .details')).length, 5);
  }));

test('the sidebar tells of the selected function', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    await view.select('draw');
    needEqual(await view.texts('.sidebar h2'), ['draw']);
    needEqual(await view.texts('.sidebar tr'), ['Total of this node50%6 samples', 'Self of this node17%2 samples', 'Total of the function, in 2 places58%7 samples', 'Self of the function25%3 samples']);
    needEqual(await view.texts('.sidebar .bar-row'), ['Graphics100%6', 'Graphics100%2']);
  }));

test('the source has the samples of its lines', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    await view.select('onClick');
    await view.press('Enter');
    needEqual([await view.text('.bottom-title'), await view.text('.bottom-origin')], ['https://example.org/app.js', 'from the profile']);
    needEqual((await view.texts('.cm-line')).slice(6, 10), ['function onClick() {', '// a comment', 'draw();', '}']);
    // The hot line, and the number beside it, are at the same height.
    const one = view.page.locator('.cm-gutterElement').filter({ hasText: /^1$/ }).first(), line = view.page.locator('.cm-line').filter({ hasText: 'draw();' });
    needEqual(Math.round((await one.boundingBox())!.y), Math.round((await line.boundingBox())!.y));
    await view.press('Escape');
    needEqual(await view.texts('.bottom'), []);
  }));

test('the source leads to the lines that called it', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    await view.select('onClick');
    await view.press('ArrowDown', 'Enter');
    needEqual(await view.text('.bottom-title'), 'draw.c');
    await view.clickOn('button', 'Callers ▾');
    needEqual(await view.texts('.menu-title'), ['8.3%  onClick  app.js:9']);
    await view.press('Escape', 'U');
    needEqual(await view.text('.bottom-title'), 'https://example.org/app.js');
    await view.press('U', 'U', 'U');
    needEqual(await view.text('.bottom-title'), 'src/app.c');
    await view.press('Control+z', 'Control+z', 'Control+z', 'Control+z');
    needEqual(await view.text('.bottom-title'), 'draw.c');
  }));

test('the timeline has a row for each process and counter, and tells of samples', () =>
  visit(APP, async (view) => {
    needEqual(await view.texts('.track-name'), ['appPID: 12', 'Memory']);
    needEqual(await view.texts('.ruler .notch'), Array.from({ length: 12 }, (_, i) => `${i + 1}ms`));
    const box = await view.box('.track-graph');
    await view.pointAt(box.x + box.width * 0.3, box.y + box.height - 8);
    const tip = await view.text('.tooltip');
    need(/^Sampled at.*CPU80% .*CategoryGraphicsstd::vector.* appdraw apprun appmain app$/.test(tip), tip);
  }));

if (!isReport) test('a list of recordings opens each of them', () =>
  visit([APP, join(DATA, 'cli/inlined.json')], async (view) => {
    needEqual((await view.rows())[0]?.name, 'main');
    await view.clickOn('button', '☰');
    await view.clickOn('button', /^inlined\.json/);
    const told = command('tree', [join(DATA, 'cli/inlined.json')]) as { nodes: { name: string }[] };
    needEqual((await view.rows()).filter(({ level }) => level === 1).map(({ name }) => name), told.nodes.map(({ name }) => name));
  }));

await runAll();

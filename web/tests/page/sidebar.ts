// What the sidebar says of the selected function: sidebar.ts SONDE [TEXT].
import { join } from 'node:path';
import { need, needEqual, test } from '../tap.ts';
import { APP, DATA, GECKO, runAll, visit } from './visit.ts';

test('the hottest lines of the function stand there with their texts, and lead to the source', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    await view.select('onClick');
    needEqual(await view.texts('.hot-line'), ['9draw();8.3%']);
    await view.click('.hot-line');
    needEqual(await view.text('.bottom-title'), 'https://example.org/app.js');
    need(await view.page.locator('.cm-line').filter({ hasText: 'draw();' }).first().isVisible(), 'the line is in sight');
  }));

test('where a search has left samples out, shares of everything are told, too', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('/');
    await view.type('name:draw');
    const rows = await view.texts('.sidebar tr');
    needEqual([rows[0], rows[rows.length - 1]], ['Total of this node100%7 samples', 'This node, of everything in the range58%']);
  }));

test('sums of sampled allocations say how far off they may be', () =>
  visit(join(DATA, 'cli/memory.json'), async (view) => {
    await view.page.getByLabel('What is counted').selectOption({ label: 'Leaked memory' });
    await view.select('main');
    needEqual((await view.texts('.sidebar tr'))[0], 'Total of this node100%320.2kB ±286.2kB');
    need(await view.page.locator('.error-bar').first().isVisible(), 'the bar is in sight');
    await view.page.getByLabel('What is counted').selectOption({ label: 'Memory at the peak' });
    await view.select('main');
    await view.press('*');
    await view.select('read_file');
    needEqual((await view.texts('.sidebar tr'))[0], 'Total of this node63%4MB', 'large blocks are all there');
  }));

test('categories open into their subcategories', () =>
  visit(GECKO, async (view) => {
    await view.press('Home');
    const closed = view.page.locator('.sidebar .bar-row button[aria-expanded=false]').first(), name = (await closed.textContent())!.replace('▶', '').trim();
    const before = await view.texts('.sidebar .bar-row.sub');
    needEqual(before, []);
    await closed.click();
    await view.settled();
    const subs = await view.texts('.sidebar .bar-row.sub');
    need(subs.length > 1, [name, subs]);
    await view.page.locator('.sidebar .bar-row button[aria-expanded=true]').first().click();
    await view.settled();
    needEqual(await view.texts('.sidebar .bar-row.sub'), []);
  }));

test('threads of the function lead to each alone, and its tooltip names them', () =>
  visit(join(DATA, 'workers.perf.txt'), async (view) => {
    await view.press('Home');
    const rows = await view.texts('.sidebar .bar-row:has(button[title])');
    need(rows.length > 1, rows);
    await view.press('Space');
    need((await view.text('.tooltip.pinned dl')).includes('Threads'), await view.text('.tooltip.pinned'));
    await view.press('Escape');
    await view.page.locator('.sidebar .bar-row button[title="Only this thread"]').first().click();
    await view.settled();
    need(!(await view.crumbs())[0]!.includes('threads'), await view.crumbs());
  }, { address: '#/tree?t=0.1.2' }));

test('it says when the function ran', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    const times = (): Promise<string[]> => view.texts('.node-times p span');
    const whole = await times();
    await view.select('onClick');
    const part = await times();
    need(whole.length === 2 && part.length === 2 && part[0] !== whole[0], [whole, part]);
    await view.press('Escape');
    needEqual(await times(), []);
  }));

test('Space tells of the selected function, and Shift pins what is told of the thing under the pointer', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('Space');
    const pinned = await view.text('.tooltip.pinned');
    need(pinned.includes('main') && pinned.includes('12 samples'), pinned);
    await view.press('Escape');
    needEqual(await view.texts('.tooltip'), []);
    await view.press('3');
    const box = await view.box('#panel canvas');
    await view.pointAt(box.x + box.width / 2, box.y + box.height - 8);
    await view.press('Shift');
    need((await view.text('.tooltip.pinned')).includes('main'), 'it is pinned');
    await view.press('Escape');
    await view.pointAt(box.x + box.width / 2 + 9, box.y + box.height - 8);
    await view.page.keyboard.down('Shift');
    await view.page.mouse.down();
    await view.page.mouse.up();
    await view.page.keyboard.up('Shift');
    await view.settled();
    needEqual(await view.texts('.tooltip.pinned'), [], 'Shift and a click are something else');
  }));

await runAll();

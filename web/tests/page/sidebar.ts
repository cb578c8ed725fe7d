// What the sidebar says of the selected function: sidebar.ts SONDE [TEXT].
import { join } from 'node:path';
import { need, needEqual, test } from '../tap.ts';
import { APP, DATA, runAll, visit } from './visit.ts';

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

await runAll();

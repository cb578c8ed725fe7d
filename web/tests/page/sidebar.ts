// What the sidebar says of the selected function: sidebar.ts SONDE [TEXT].
import { need, needEqual, test } from '../tap.ts';
import { APP, runAll, visit } from './visit.ts';

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

await runAll();

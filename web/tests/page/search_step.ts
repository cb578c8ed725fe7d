// A search becomes a transform, which stays while something else is searched for: search_step.ts SONDE [TEXT].
import { needEqual, test } from '../tap.ts';
import { APP, runAll, visit, type Visit } from './visit.ts';

async function makeOf(view: Visit, words: string, choice: RegExp): Promise<void> {
  await view.press('/');
  await view.type(words);
  await view.clickOn('button', /^As transform/);
  await view.clickOn('menuitem', choice);
}

const field = (view: Visit): Promise<string> => view.page.getByLabel('Filter stacks').inputValue();

test('keeping, dropping, merging and collapsing what matches are transforms as others', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await makeOf(view, 'name:draw', /^Keep only/);
    needEqual([await view.crumbs(), await field(view)], [['Complete “app”', 'Only stacks with: name:draw'], '']);
    needEqual((await view.tree())[0], '1 main 7 —');
    await makeOf(view, 'onClick', /^Drop stacks/);
    needEqual((await view.tree())[0], '1 main 6 —');
    await makeOf(view, 'name:run', /^Merge/);
    needEqual((await view.tree()).slice(0, 2), ['1 main 6 —', '2 draw 6 2']);
    await makeOf(view, 'name:draw', /^Collapse/);
    needEqual(await view.tree(), ['1 main 6 —', '2 draw 6 6']);
    needEqual(await view.crumbs(), ['Complete “app”', 'Only stacks with: name:draw', 'Drop stacks with: onClick', 'Merge all: name:run', 'Collapse all: name:draw']);
  }));

test('whatever is searched for, its transform stays over a reload', () =>
  visit(APP, async (view) => {
    await makeOf(view, 'a~b, c:d+e/f%', /^Drop stacks/);
    const before = await view.crumbs();
    await view.page.reload();
    await view.page.waitForSelector('.tree-row');
    await view.settled();
    needEqual([before, await view.crumbs()], [['Complete “app”', 'Drop stacks with: a~b, c:d+e/f%'], before]);
  }));

test('only the functions of a library stay', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    await view.row('memcpy').click({ button: 'right' });
    await view.settled();
    await view.clickOn('menuitem', /^Only functions of libc/);
    needEqual(await view.tree(), ['1 memcpy 3 3', '1 poll 2 2', '1 0x7f1200 1 1']);
  }));

await runAll();

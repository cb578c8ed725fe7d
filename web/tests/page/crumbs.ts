// The bar of transforms: each is put elsewhere by the pointer and by keys, and where there are many they are a menu: crumbs.ts SONDE [TEXT] [report].
import { need, needEqual, test } from '../tap.ts';
import { APP, runAll, visit, type Visit } from './visit.ts';

async function addThree(view: Visit): Promise<void> {
  for (const [name, key] of [['poll', 'd'], ['parse', 'm'], ['draw', 'c']] as const) {
    await view.press('Home', '*');
    await view.select(name);
    await view.press(key);
  }
}

const THREE = ['Complete “app”', 'Drop: poll', 'Merge: parse', 'Collapse subtree: draw'];

test('a transform is dragged to another place, and undo takes it back', () =>
  visit(APP, async (view) => {
    await addThree(view);
    needEqual(await view.crumbs(), THREE);
    const first = await view.box('.crumb[data-transform="0"]'), last = await view.box('.crumb[data-transform="2"]');
    await view.drag([first.x + 10, first.y + 8], [last.x + last.width - 4, last.y + 8]);
    needEqual(await view.crumbs(), [THREE[0], THREE[2], THREE[3], THREE[1]]);
    need((await view.commandLine()).includes('-T merge-function'), 'the command line has them');
    await view.press('Control+z');
    needEqual(await view.crumbs(), THREE);
  }));

test('Alt and an arrow move the transform that has the focus', () =>
  visit(APP, async (view) => {
    await addThree(view);
    await view.page.getByRole('button', { name: 'Remove Drop: poll' }).focus();
    await view.press('Alt+ArrowRight');
    needEqual(await view.crumbs(), [THREE[0], THREE[2], THREE[1], THREE[3]]);
    await view.press('Alt+ArrowLeft');
    needEqual(await view.crumbs(), THREE, 'where it was');
  }));

test('a click on a transform goes back to it, its cross removes it alone', () =>
  visit(APP, async (view) => {
    await addThree(view);
    await view.clickOn('button', 'Remove Merge: parse');
    needEqual(await view.crumbs(), [THREE[0], THREE[1], THREE[3]]);
    await view.clickOn('button', 'Drop: poll');
    needEqual(await view.crumbs(), [THREE[0], THREE[1]]);
  }));

test('those that have no place are a menu', () =>
  visit(APP, async (view) => {
    await addThree(view);
    await view.page.setViewportSize({ width: 700, height: 700 });
    await view.settled();
    needEqual(await view.crumbs(), THREE, 'there is place');
    await view.page.setViewportSize({ width: 330, height: 700 });
    await view.settled();
    const crumbs = await view.crumbs();
    need(/^[12] transforms? ▾$/.test(crumbs[1]!) && crumbs.at(-1) === THREE[3], crumbs);
    await view.clickOn('button', /transforms? ▾/);
    await view.clickOn('menuitem', 'Drop: poll');
    needEqual(await view.crumbs(), [THREE[0], THREE[1]]);
  }));

await runAll();

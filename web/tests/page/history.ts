// What is looked at stays over a reload, and Back leads through it step by step: history.ts SONDE [TEXT] [report].
import { need, needEqual, test } from '../tap.ts';
import { APP, runAll, visit, type Visit } from './visit.ts';

/** All that is to be read of a view. */
async function seen(view: Visit): Promise<unknown> {
  const panel = await view.page.locator('[role=tab][aria-selected=true]').textContent();
  const drawn = await view.page.locator('#panel canvas').evaluateAll((all) => all.map((canvas) => (canvas as HTMLCanvasElement).toDataURL().length > 2000));
  return {
    panel, drawn, crumbs: await view.crumbs(), ranges: await view.texts('.breadcrumbs li'), rows: await view.rows(), functions: (await view.texts('.function-row:not([hidden]) .name')).sort(),
    markers: (await view.texts('.marker-row:not([hidden]) .name')).sort(), search: await view.page.locator('.search input').inputValue(), tracks: await view.texts('.track-name'),
    flame: await view.texts('#flame-selected'), bottom: await view.texts('.bottom-title'),
  };
}

async function dragRange(view: Visit): Promise<void> {
  const { x, y, width, height } = await view.box('.track-graph');
  await view.drag([x + 0.2 * width, y + height - 4], [x + 0.7 * width, y + height - 4]);
}

type Step = (view: Visit) => Promise<void>;

/** Each is one entry of the history. */
const STEPS: readonly (readonly [what: string, step: Step])[] = [
  ['inverted', (view) => view.press('i')],
  ['not inverted', (view) => view.press('i')],
  ['a transform', async (view) => {
    await view.select('main');
    await view.press('*');
    await view.select('draw');
    await view.press('c');
  }],
  ['another one', async (view) => {
    await view.select('parse');
    await view.press('m');
  }],
  ['the flame graph', (view) => view.press('3')],
  ['a range', (view) => view.press('z')],
  ['functions', (view) => view.press('2')],
  ['sorted by total', (view) => view.clickOn('button', 'Sort by total')],
  ['markers', (view) => view.press('6')],
  ['sorted by duration', (view) => view.clickOn('button', /^Duration/)],
  ['the stack chart', (view) => view.press('4')],
  ['stacks as wide as each other', (view) => view.page.getByLabel('Same width for each stack').check().then(() => view.settled())],
];

test('every step stays over a reload, and Back and Forward lead through all of them', () =>
  visit(APP, async (view) => {
    const states = [await seen(view)];
    for (const [what, step] of STEPS) {
      if (what === 'a range') {
        await dragRange(view);
        states[states.length - 1] = await seen(view); // what is dragged is no entry of its own
      }
      await step(view);
      const now = await seen(view);
      states.push(now);
      await view.page.waitForFunction(() => location.hash !== '');
      await view.page.reload();
      await view.page.waitForSelector('.page');
      await view.settled();
      needEqual(await seen(view), now, `${what}, after a reload`);
    }
    const what = (i: number): string => (i === 0 ? 'the first view' : STEPS[i - 1]![0]);
    for (let i = states.length - 2; i >= 0; i--) {
      await view.press('Control+z');
      needEqual(await seen(view).then(withoutPlace), withoutPlace(states[i]), `Back to: ${what(i)}`);
    }
    for (let i = 1; i < states.length; i++) {
      await view.press('Control+Shift+z');
      needEqual(await seen(view).then(withoutPlace), withoutPlace(states[i]), `Forward to: ${what(i)}`);
    }
  }));

/** Selecting is no step: what was selected when the step was left is there when one comes back. */
const withoutPlace = (state: unknown): unknown => ({ ...(state as object), rows: undefined });

test('undo before the first step does not leave the page', () =>
  visit(APP, async (view) => {
    await view.press('Control+z', 'Control+z');
    need((await view.rows()).length > 0, 'the page is there');
  }));

test('an address that is pasted is shown', () =>
  visit(APP, async (view) => {
    await view.press('3', 'i');
    const now = await seen(view), address = await view.page.evaluate(() => location.href);
    await view.press('i', '1');
    await view.page.evaluate((to) => { location.href = to; }, address);
    await view.settled();
    needEqual(await seen(view), now);
  }));

test('an address opens in another window as it was', () =>
  visit(APP, async (view) => {
    await view.select('main');
    await view.press('*');
    await view.select('draw');
    await view.press('f', '3');
    const now = await seen(view), address = await view.page.evaluate(() => location.hash);
    await visit(APP, async (other) => needEqual(await seen(other), now), { address });
  }));

await runAll();

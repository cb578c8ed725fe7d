// Long walks without an aim: undo leads back through all of them, and nothing is left in memory: wander.ts SONDE [TEXT] [report].
import { need, needEqual, test } from '../tap.ts';
import { Chance } from './chance.ts';
import { APP, GECKO, runAll, visit, type Visit } from './visit.ts';

// ---- undo ----

const TRANSFORMS = 100;
const KEYS = ['m', 'M', 'f', 'F', 'S', 'g', 'c', 'C', 'r', 'R', 'd', 'i', 't', 'x'];

interface Seen {
  readonly crumbs: readonly string[];
  readonly rows: readonly unknown[];
  readonly checked: readonly boolean[];
}

async function seen(view: Visit): Promise<Seen> {
  return { crumbs: await view.crumbs(), rows: await view.rows(), checked: await view.page.locator('.settings-bar input').evaluateAll((all) => all.map((input) => (input as HTMLInputElement).checked)) };
}

/** Some row in sight, with what is below it open or not. */
async function chooseRow(view: Visit, chance: Chance): Promise<boolean> {
  const rows = view.page.locator('#panel .tree-row:not([hidden])'), count = await rows.count();
  if (count === 0) return false;
  await rows.nth(chance.below(Math.min(count, 12))).locator('.name').click();
  await view.settled();
  if (chance.often(0.3)) await view.press(chance.of(['*', 'ArrowLeft', 'ArrowRight']));
  return true;
}

test('undo leads back through 100 random transforms, to what was open and selected', () =>
  visit(APP, async (view) => {
    const chance = new Chance(7), before: Seen[] = [];
    const undo = async (): Promise<void> => {
      const expected = before.pop()!;
      await view.press('Control+z');
      needEqual(await seen(view), expected, `after ${before.length} steps`);
    };
    for (let done = 0; done < TRANSFORMS; ) {
      const isEmpty = !(await chooseRow(view, chance));
      if (before.length > 0 && (isEmpty || before.length > 12 || chance.often(0.2))) {
        await undo();
        continue;
      }
      const now = await seen(view);
      await view.press(chance.of(KEYS));
      const { crumbs, checked } = await seen(view);
      if (JSON.stringify([crumbs, checked]) === JSON.stringify([now.crumbs, now.checked])) continue; // a key that was not for this row
      before.push(now);
      done++;
    }
    while (before.length > 0) await undo();
  }));

// ---- memory ----

const STEPS = 50;

/** Everything that a hand may do. */
const ACTIONS: readonly ((view: Visit, chance: Chance) => Promise<void>)[] = [
  (view, chance) => view.press(chance.of(['1', '2', '3', '4', '5', '6'])),
  (view, chance) => view.press(chance.of(['1', '2', '3', '4', '5', '6'])),
  (view, chance) => view.press(chance.of(['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'PageDown', 'Home', 'End', '*'])),
  (view, chance) => view.press(chance.of(['m', 'f', 'c', 'i', 't', 'x', 'n', ',', '.'])),
  (view) => view.press('Control+z'),
  (view, chance) => view.press(chance.of(['Enter', 'a', 'Escape', 'z', 'Backspace', 'T'])),
  async (view, chance) => {
    await view.press('/');
    await view.page.keyboard.press('Control+a');
    await view.type(chance.of(['a', 'gc', 'script', '-wait', ' ']));
    await view.press('Escape');
  },
  async (view, chance) => {
    const { x, y, width, height } = await view.box('#panel');
    await view.pointAt(x + chance.share() * width, y + chance.share() * height);
    await view.page.mouse.wheel(0, chance.of([-300, 300]));
    await view.settled();
  },
  async (view, chance) => {
    const { x, y, width, height } = await view.box('.track-graph'), from = chance.share() * 0.8;
    await view.drag([x + from * width, y + height - 3], [x + (from + 0.15) * width, y + height - 3]);
  },
  async (view, chance) => {
    await view.clickOn('button', chance.of(['Profile info', 'Export', 'Settings']));
    await view.press('Escape');
  },
];

interface Held {
  /** Of the scripts, without what nobody can reach any more, in MB. */
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
}

async function held(view: Visit): Promise<Held> {
  const devtools = await view.page.context().newCDPSession(view.page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = (await devtools.send('Runtime.getHeapUsage')) as { usedSize: number; backingStorageSize?: number };
  const { nodes, jsEventListeners } = await devtools.send('Memory.getDOMCounters');
  await devtools.detach();
  return { heap: (usedSize + (backingStorageSize ?? 0)) / 1e6, nodes, listeners: jsEventListeners };
}

/** Back to one and the same view. */
async function rest(view: Visit): Promise<Held> {
  await view.press('Escape', 'Escape', 'Escape', '1');
  await view.page.mouse.move(700, 1);
  await view.settled();
  return held(view);
}

async function wander(view: Visit, chance: Chance): Promise<void> {
  for (let step = 0; step < STEPS; step++) await chance.of(ACTIONS)(view, chance);
}

/** The page has six; the rest is for a browser that counts otherwise. */
const MOST_MB = 40, GROWTH_MB = 3, MOST_NODES = 4000, MOST_LISTENERS = 500;

test('a long walk through all panels leaves nothing in memory', () =>
  visit(GECKO, async (view) => {
    const chance = new Chance(11);
    await wander(view, chance);
    const first = await rest(view);
    await wander(view, chance);
    const last = await rest(view), told = JSON.stringify([first, last]);
    need(last.heap < MOST_MB && last.heap < first.heap + GROWTH_MB, told);
    need(last.nodes < MOST_NODES && last.listeners < MOST_LISTENERS, told);
  }));

await runAll({ atOnce: 2 });

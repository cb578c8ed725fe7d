// What is pointed at in the hills of a thread is the sample that is drawn there: hills.ts SONDE [TEXT] [report].
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { need, needEqual, test } from '../tap.ts';
import { runAll, scratch, visit, type Visit } from './visit.ts';

/** Two functions by turns, some of both in each pixel. */
const TURNS = join(scratch, 'turns.cpuprofile');
const SAMPLES = 4000, MICROSECONDS = 1000;
const callFrame = (functionName: string): object => ({ functionName, scriptId: '1', url: 'file:///app.js', lineNumber: 0, columnNumber: 0 });
writeFileSync(TURNS, JSON.stringify({
  nodes: [{ id: 1, callFrame: callFrame('(root)'), children: [2, 3] }, { id: 2, callFrame: callFrame('alpha') }, { id: 3, callFrame: callFrame('beta') }],
  startTime: 0, endTime: SAMPLES * MICROSECONDS,
  samples: Array.from({ length: SAMPLES }, (_, i) => 2 + (i % 2)), timeDeltas: Array.from({ length: SAMPLES }, () => MICROSECONDS),
}));

async function leafAt(view: Visit, height: number): Promise<string> {
  const box = await view.box('.track-graph'), TOP = 3, BELOW = 2, hills = box.height - TOP - BELOW;
  await view.pointAt(box.x + box.width / 2, box.y + TOP + hills * (1 - height));
  return view.text('.tooltip .stack-list li span');
}

test('each height of a hill has its own sample, in the order of the tree', () =>
  visit(TURNS, async (view) => {
    needEqual([await leafAt(view, 0.1), await leafAt(view, 0.3), await leafAt(view, 0.7), await leafAt(view, 0.9)], ['alpha', 'alpha', 'beta', 'beta']);
  }));

test('a click selects what is drawn there', () =>
  visit(TURNS, async (view) => {
    for (const [height, name] of [[0.2, 'alpha'], [0.8, 'beta']] as const) {
      await leafAt(view, height);
      await view.page.mouse.down();
      await view.page.mouse.up();
      await view.settled();
      needEqual((await view.rows()).find(({ isSelected }) => isSelected)?.name, name);
    }
  }));

test('what is selected lies together, and is what is pointed at', () =>
  visit(TURNS, async (view) => {
    await view.select('beta');
    needEqual([await leafAt(view, 0.1), await leafAt(view, 0.9)], ['alpha', 'beta']);
    const tip = await view.text('.tooltip');
    need(/^Sampled at\d/.test(tip), tip);
  }));

await runAll();

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../src/transport/engine.ts';
import type { Request } from '../src/transport/protocol.ts';
import type { Transport } from '../src/transport/transport.ts';
import { carryView } from '../src/state/carry.ts';
import { setEngine } from '../src/state/store.ts';
import { DEFAULT_VIEW, type View } from '../src/state/view.ts';

/** An engine whose replies are made by `answer`, and what it was asked. */
function engineOf(generation: number, answer: (request: Request) => object): { engine: Engine; requests: Request[] } {
  const requests: Request[] = [];
  const transport: Transport = {
    ask: async (_file, request) => {
      requests.push(JSON.parse(JSON.stringify(request)));
      const head = new TextEncoder().encode(JSON.stringify({ strings: { ids: [], texts: [], cut: [] }, ...answer(request) }));
      const bytes = new Uint8Array(4 + head.length);
      new DataView(bytes.buffer).setUint32(0, head.length, true);
      bytes.set(head, 4);
      return bytes.buffer;
    },
    files: async () => [],
    listen: () => {},
  };
  const engine = new Engine(transport, 0, () => generation);
  setEngine(engine);
  return { engine, requests };
}

const VIEW: View = {
  ...DEFAULT_VIEW,
  transforms: [{ kind: 'merge-function', funcs: [7], implementation: 'combined', inverted: false }],
  tree: { open: [0, 1], selected: [0, 1, 2], since: 1 },
  flame: { ...DEFAULT_VIEW.flame, zoom: [0, 1] },
  func: 2,
  bottom: { func: 3, path: [0, 3], assembly: true, full: false },
};

test('all numbers of a view go on to the next generation', async () => {
  const { requests } = engineOf(1, ({ asks }) => ({
    generation: 2,
    state: { generation: 2, transforms: ['merge-function:f-70'] },
    parts: asks.map(({ ask, path, anchor, open, func }) => ({
      ask,
      carried: Object.fromEntries(Object.entries({ path, anchor, open, func }).filter(([, value]) => value !== undefined).map(([key, value]) => [key, Array.isArray(value) ? value.map((n: number) => n * 10) : Number(value) * 10])),
    })),
  }));
  const carried = await carryView('carry', VIEW, 1);
  assert.ok(carried);
  assert.equal(carried.generation, 2);
  const { transforms, tree, invertedTree, flame, func, bottom } = carried.numbered;
  assert.deepEqual(transforms, [{ ...VIEW.transforms[0], funcs: [70] }]);
  assert.deepEqual(tree, { open: [0, 10], selected: [0, 10, 20], since: 1 });
  assert.equal(invertedTree, VIEW.invertedTree);
  assert.deepEqual(flame.zoom, [0, 10]);
  assert.equal(func, 20);
  assert.deepEqual(bottom, { func: 30, path: [0, 30], assembly: true, full: false });
  assert.deepEqual(requests.map(({ state }) => state.generation), [1]);
});

test('a generation that comes between two requests has all of it asked again', async () => {
  const generations = [2, 3, 3, 3];
  const { requests } = engineOf(1, ({ asks }) => ({ generation: generations.shift(), parts: asks.map(({ ask }) => ({ ask })) }));
  const carried = await carryView('carry', { ...VIEW, invertedTree: { open: [], selected: [5], since: 1 } }, 1);
  assert.equal(carried?.generation, 3);
  assert.deepEqual(requests.map(({ state }) => state.inverted), [false, true, false, true]);
});

test('a generation of too long ago cannot be carried', async () => {
  engineOf(1, () => ({ error: { code: 'stale', message: 'state.generation: …' } }));
  assert.equal(await carryView('carry', VIEW, 1), undefined);
});

test('a reply of a later generation is passed over', async () => {
  const { engine, requests } = engineOf(1, () => ({ generation: 2, parts: [] }));
  let outdated = 0;
  engine.onOutdated = () => outdated++;
  assert.equal(await engine.ask('tree', {}, []), undefined);
  assert.equal(outdated, 1);
  assert.equal(requests[0]?.state.generation, 1);
});

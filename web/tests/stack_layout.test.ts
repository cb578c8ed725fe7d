import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BAND_GAP, bandsBetween, bandsOf, callsOf, contentHeight, depthsBetween, edgesOf, stackBoxAt, type StackColumns, type Stacks } from '../src/charts/stack_layout.ts';

//            track node func depth left width start end
const table = [
  [0, 0, 1, 0, 0, 50, -5, 50], [0, 0, 1, 0, 60, 40, 60, 130], [0, 1, 2, 1, 0, 20, -5, 20], [0, 1, 2, 1, 70, 10, 70, 80],
  [1, 7, 2, 0, 10, 30, 10, 40],
];
const column = (at: number): Float64Array => Float64Array.from(table, (row) => row[at]!);
const columns: StackColumns = {
  tick: Uint16Array.from([5, 60, 7]), tick_track: Uint16Array.from([0, 0, 1]),
  threads: Uint32Array.of(4, 9), levels: Uint32Array.of(2, 3), track: column(0), node: column(1), func: column(2), depth: column(3), left: column(4), width: column(5), start: column(6), end: column(7),
  name: column(2), library: column(2), category: column(2), flags: column(2),
};
const bands = bandsOf(columns, 0, 3);
const stacks: Stacks = { range: [0, 100], width: 100, sameWidths: false, bands };
const ROW = 10, second = 2 * ROW + BAND_GAP;

test('each thread has its boxes', () => {
  assert.deepEqual(bands.map(({ thread }) => thread), [4, 9]);
  assert.equal(bands[0]!.rows.get(1)!.places.length, 2);
  assert.equal(bands[1]!.rows.get(1)!.places.length, 0);
});

test('bands are one below the other', () => {
  assert.equal(contentHeight(bands, ROW), second + 3 * ROW + BAND_GAP);
  assert.deepEqual(bandsBetween(bands, ROW, 0, second), [{ band: 0, y: 0 }]);
  assert.deepEqual(bandsBetween(bands, ROW, second - 1, second + 1), [{ band: 0, y: 0 }, { band: 1, y: second }]);
});

test('depths in sight are those of any band', () => {
  assert.deepEqual(depthsBetween(bands, ROW, second + 15, second + 25), { from: 1, until: 3 });
  assert.deepEqual(depthsBetween(bands, ROW, 10, 1000), { from: 0, until: 3 });
});

test('a call that goes on outside of the window keeps its own times there', () => {
  assert.deepEqual(edgesOf(stacks, columns, 0), [-5, 50]);
  assert.deepEqual(edgesOf(stacks, columns, 1), [60, 130]);
  assert.deepEqual(edgesOf(stacks, columns, 3), [70, 80]);
});

test('a place is found in its band, and none between bands', () => {
  assert.deepEqual(stackBoxAt(stacks, ROW, 75, ROW + 1), { band: 0, depth: 1, index: 1 });
  assert.deepEqual(stackBoxAt(stacks, ROW, 12, second + 2), { band: 1, depth: 0, index: 0 });
  assert.equal(stackBoxAt(stacks, ROW, 12, second - 2), null);
});

test('all calls of a node are found, and none of the same function elsewhere', () => {
  assert.deepEqual(callsOf(bands[0]!, [1, 2]), [{ depth: 1, index: 0 }, { depth: 1, index: 1 }]);
  assert.deepEqual(callsOf(bands[1]!, [1, 2]), []);
});

test('where callers were not asked for, the function at its depth stands for the node', () => {
  assert.equal(callsOf(bandsOf(columns, 1, 3)[0]!, [8, 2]).length, 2);
});

test('each thread has the ticks of its own samples', () => {
  assert.deepEqual(bands.map(({ ticks }) => ticks), [[5, 60], [7]].slice(0, bands.length));
});

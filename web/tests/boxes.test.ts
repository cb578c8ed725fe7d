import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxAt, boxesOfPath, childrenOf, parentOf, pathOf, rowsByDepth, type BoxColumns } from '../src/charts/boxes.ts';

// depth 0   1111111111 2222
// depth 1   3333 4444    1
// depth 2     5
const table = [
  [1, 0, 0, 100], [3, 1, 0, 40], [5, 2, 20, 10], [4, 1, 45, 45], [2, 0, 100, 40], [1, 1, 120, 10],
];
const column = (at: number): Uint32Array => Uint32Array.from(table, (row) => row[at]!);
const columns: BoxColumns = { func: column(0), depth: column(1), left: column(2), width: column(3), name: column(0), library: column(0), category: column(0), flags: column(0) };
const rows = rowsByDepth(columns, 0, 4);

test('boxes that come by subtree are rows from left to right', () => {
  assert.deepEqual([...rows.get(1)!.places], [1, 3, 5]);
  assert.equal(rows.get(3)!.places.length, 0);
  assert.equal(rows.has(4), false);
});

test('a pixel has the box that covers it, and none in a gap', () => {
  assert.deepEqual(boxAt(rows, 1, 0), { depth: 1, index: 0 });
  assert.deepEqual(boxAt(rows, 1, 39.9), { depth: 1, index: 0 });
  assert.equal(boxAt(rows, 1, 40), null);
  assert.deepEqual(boxAt(rows, 1, 125), { depth: 1, index: 2 });
  assert.equal(boxAt(rows, 7, 0), null);
});

test('the path of a box is that of its callers and itself', () => {
  assert.deepEqual(pathOf(rows, { depth: 2, index: 0 }), [1, 3, 5]);
  assert.deepEqual(pathOf(rows, { depth: 1, index: 2 }), [2, 1]);
});

test('without the rows of its callers a box has no path', () => {
  assert.equal(pathOf(rowsByDepth(columns, 1, 3), { depth: 2, index: 0 }), null);
});

test('children are the boxes below it, each of which has it as parent', () => {
  const children = childrenOf(rows, { depth: 0, index: 0 });
  assert.deepEqual(children, [{ depth: 1, index: 0 }, { depth: 1, index: 1 }]);
  for (const child of children) assert.deepEqual(parentOf(rows, child), { depth: 0, index: 0 });
});

test('a path is found where all of its functions are below each other', () => {
  assert.deepEqual(boxesOfPath(rows, [2, 1]), [{ depth: 1, index: 2 }]);
  assert.deepEqual(boxesOfPath(rows, [1, 1]), []);
});

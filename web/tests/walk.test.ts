import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeBelow, openPath } from '../src/state/walk.ts';

test('a path is opened from the root on', () => {
  assert.deepEqual(openPath([], [0, 1, 2]), [0, 1, 2]);
});

test('a path beside what is open goes up as far as it has to', () => {
  assert.deepEqual(openPath([0, 1, 2], [0, 3]), [0, 1, 2, -2, 3]);
  assert.deepEqual(openPath([0, 1, -2, 5], [0, 4]), [0, 1, -1, 4, -2, 5]);
});

test('what is open already makes the walk no longer', () => {
  const walk = openPath([0, 1, -1, 3], [0, 1]);
  assert.deepEqual(walk, [0, 1, -1, 3]);
  assert.deepEqual(openPath(walk, [0, 3]), walk);
});

test('rows that are open altogether stay so, and a closed one on the way opens', () => {
  assert.deepEqual(openPath([7, '*', -1, 0, '-', 1], [0, 1, 2]), [7, '*', -1, 0, 1, 2]);
});

test('a row is closed with all that is open below it', () => {
  assert.deepEqual(closeBelow([0, 1, 2, -2, 5], [0, 1]), [0, 5]);
  assert.deepEqual(closeBelow([0, 1], [0]), []);
  assert.deepEqual(closeBelow([0, '*'], [0, 1]), [0, '*', 1, '-'], 'where all are open, but this one');
  assert.deepEqual(closeBelow([0], [3, 4]), [0], 'one that is not there');
});

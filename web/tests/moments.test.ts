import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMoment, rangeAt } from '../src/frame/moments.ts';

test('a moment is a number with a unit, seconds where it has none', () => {
  assert.deepEqual(readMoment('1.5s'), [1500, null]);
  assert.deepEqual(readMoment(' 300 ms '), [300, null]);
  assert.deepEqual(readMoment('2'), [2000, null]);
  assert.deepEqual(readMoment('250us'), [0.25, null]);
});

test('two moments are a range, and the first has the unit of the second where it has none', () => {
  assert.deepEqual(readMoment('1s-2.5s'), [1000, 2500]);
  assert.deepEqual(readMoment('100-200ms'), [100, 200]);
  assert.deepEqual(readMoment('1s - 2'), [1000, 2000]);
});

test('what is no moment is none', () => {
  for (const text of ['', 'main', '1.5x', '2s-1s', 's', '-3']) assert.equal(readMoment(text), null, text);
});

test('a moment selects a range around it, within what is shown', () => {
  assert.deepEqual(rangeAt([500, null], [100, 1100]), [490, 510]);
  assert.deepEqual(rangeAt([100, null], [100, 1100]), [100, 110]);
  assert.deepEqual(rangeAt([200, 2000], [100, 1100]), [200, 1100]);
  assert.equal(rangeAt([5000, null], [100, 1100]), null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editorLink } from '../src/source/editors.ts';
import { HEAT_LEVELS, heatOf, hotPlaces, nextHot } from '../src/source/heat.ts';
import { layoutJumps } from '../src/source/jumps.ts';

test('what has any samples is tinted, and the hottest the most', () => {
  assert.equal(heatOf(0, 1000), 0);
  assert.equal(heatOf(1, 1000), 1);
  assert.equal(heatOf(1000, 1000), HEAT_LEVELS);
  assert.equal(heatOf(-1000, 1000), HEAT_LEVELS);
  assert.equal(heatOf(5, 0), 0);
});

test('hot lines have a tenth of the hottest', () => {
  assert.deepEqual(hotPlaces({ place: [3, 8, 9], total: [100, 9, 10], self: [0, 0, 0] }), [3, 9]);
  assert.deepEqual(hotPlaces({ place: [3], total: [0], self: [0] }), []);
});

test('steps through hot lines go around', () => {
  assert.equal(nextHot([3, 9], 3, 1), 9);
  assert.equal(nextHot([3, 9], 9, 1), 3);
  assert.equal(nextHot([3, 9], 3, -1), 9);
  assert.equal(nextHot([3, 9], 5, -1), 3);
  assert.equal(nextHot([], 5, 1), null);
});

const NONE = NaN;

test('a jump within another is nearer to the instructions', () => {
  const address = [10, 20, 30, 40], target = [40, 30, NONE, NONE];
  assert.deepEqual(layoutJumps(address, target, ['jmp', 'jne', 'nop', 'ret']), [{ from: 1, to: 2, lane: 0 }, { from: 0, to: 3, lane: 1 }]);
});

test('jumps that do not meet share a lane', () => {
  assert.deepEqual(layoutJumps([10, 20, 30, 40], [20, NONE, NONE, 30], ['jmp', 'nop', 'nop', 'jmp']).map(({ lane }) => lane), [0, 0]);
});

test('calls, and jumps out of the listing, are left out', () => {
  assert.deepEqual(layoutJumps([10, 20], [20, 999], ['call 20', 'jmp 999']), []);
  assert.deepEqual(layoutJumps([10, 20], [20, NONE], ['bl 20', 'ret']), []);
  assert.equal(layoutJumps([10, 20], [20, NONE], ['b.ne 20', 'ret']).length, 1);
});

test('a file of this machine is opened in the editor that was chosen', () => {
  assert.equal(editorLink('vscode', '/src/a b.c', 12), 'vscode://file/src/a%20b.c:12');
  assert.equal(editorLink('idea', '/src/a&b.c', null), 'idea://open?file=%2Fsrc%2Fa%26b.c&line=1');
  assert.equal(editorLink('none', '/src/a.c', 12), null);
  assert.equal(editorLink('vscode', 'https://example.org/a.js', 12), null);
});

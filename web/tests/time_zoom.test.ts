import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldZoom, panRange, previewFor, wheelMeaning, zoomRange, type TimeWindow } from '../src/charts/time_zoom.ts';

const all: TimeWindow = { shown: [100, 200], limit: [100, 200], shortest: 1 };
const part: TimeWindow = { shown: [120, 140], limit: [100, 200], shortest: 1 };
const wheel = { deltaX: 0, deltaY: 0, deltaMode: 0, ctrlKey: false, metaKey: false, shiftKey: false };

test('zooming in keeps the time under the pointer where it is', () => {
  assert.deepEqual(zoomRange(all, 0.25, 0.5), [112.5, 162.5]);
  const [start, end] = zoomRange(part, 0.7, 0.3);
  assert.ok(Math.abs(start + 0.7 * (end - start) - 134) < 1e-9);
});

test('zooming in ends at the shortest range', () => {
  const [start, end] = zoomRange(part, 0.5, 1e-9);
  assert.ok(Math.abs(end - start - 1) < 1e-9);
});

test('a range that is shorter than the shortest is not made longer by zooming in', () => {
  assert.deepEqual(zoomRange({ shown: [120, 120.5], limit: [100, 200], shortest: 1 }, 0, 0.5), [120, 120.5]);
});

test('zooming out stays within the limit, and ends with all of it', () => {
  assert.deepEqual(zoomRange({ ...part, shown: [100, 110] }, 1, 4), [100, 140]);
  assert.deepEqual(zoomRange(part, 0.5, 1000), [100, 200]);
});

test('panning keeps the length, and stops at both ends', () => {
  assert.deepEqual(panRange(part, 0.5), [130, 150]);
  assert.deepEqual(panRange(part, -50), [100, 120]);
  assert.deepEqual(panRange(part, 50), [180, 200]);
});

test('all there is needs no preview range', () => {
  assert.equal(previewFor([100, 200], [100, 200]), null);
  assert.equal(previewFor([100 + 1e-12, 200], [100, 200]), null);
  assert.deepEqual(previewFor([100, 199], [100, 200]), [100, 199]);
});

test('the wheel zooms with Ctrl, with Shift a third as fast, and scrolls without', () => {
  assert.deepEqual(wheelMeaning({ ...wheel, deltaY: -100, ctrlKey: true }), { zoom: 1.003 ** -300 });
  assert.deepEqual(wheelMeaning({ ...wheel, deltaX: -100, shiftKey: true }), { zoom: 1.003 ** -100 });
  assert.equal(wheelMeaning({ ...wheel, deltaY: 100 }), null);
});

test('a sideways wheel pans, in pixels however the browser counts', () => {
  assert.deepEqual(wheelMeaning({ ...wheel, deltaX: 3, deltaY: 1, deltaMode: 1 }), { pan: 48 });
});

test('holding the key for inward and outward equally long cancels out', () => {
  assert.ok(heldZoom(80, true) < 1);
  assert.ok(Math.abs(heldZoom(80, true) * heldZoom(80, false) - 1) < 1e-12);
});

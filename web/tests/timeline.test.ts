// Orders, ranges, scales and texts of the timeline.
import { test } from 'node:test';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { counterScale, extentIn, nearestPixel } from '../src/timeline/counter.ts';
import { shortNumber } from '../src/format/numbers.ts';
import { counterDisplay } from '../src/timeline/counter_display.ts';
import { blockAt, emptyBlocks } from '../src/timeline/empty_blocks.ts';
import { graphLanes } from '../src/timeline/graph_lanes.ts';
import { snapTime } from '../src/timeline/snap.ts';
import type { Lane } from '../src/timeline/lane_layout.ts';
import { extentOf, selectedHeights } from '../src/timeline/selected_heights.ts';
import { busyStretch, movedRange, resizedRange, shiftInto, withLastMoved } from '../src/timeline/range_moves.ts';
import { movedOrder, shortOrder, steppedOrder } from '../src/timeline/track_order.ts';
import { markedParts } from '../src/timeline/track_search.ts';
import { readThreads, type Activity, type TracksPart } from '../src/timeline/track_data.ts';

const TRACKS = [
  { id: 't0', pid: '1', local: false },
  { id: 't1', pid: '1', local: true },
  { id: 'c0', pid: '1', local: true },
  { id: 't2', pid: '2', local: false },
  { id: 't3', pid: '2', local: true },
];

test('a process that is moved takes its tracks along', () => {
  deepEqual(movedOrder(TRACKS, 't2', 't0', false), ['t2', 't3', 't0', 't1', 'c0']);
  deepEqual(movedOrder(TRACKS, 't0', 't2', true), ['t2', 't3', 't0', 't1', 'c0']);
});

test('tracks change places within their process only', () => {
  deepEqual(movedOrder(TRACKS, 'c0', 't1', false), ['t0', 'c0', 't1', 't2', 't3']);
  equal(movedOrder(TRACKS, 't3', 't1', false), null);
  equal(movedOrder(TRACKS, 't1', 't0', false), null);
  equal(movedOrder(TRACKS, 'c0', 't1', true), null, 'it stands there already');
});

test('a step goes over tracks that are hidden', () => {
  const shown = TRACKS.filter(({ id }) => id !== 't1');
  equal(steppedOrder(TRACKS, shown, 'c0', -1), null);
  deepEqual(steppedOrder(TRACKS, TRACKS, 'c0', -1), ['t0', 'c0', 't1', 't2', 't3']);
  equal(steppedOrder(TRACKS, TRACKS, 't2', 1), null);
});

test('keys move and stretch a range within its limit', () => {
  deepEqual(movedRange(null, [0, 100], 1), [45, 55]);
  deepEqual(movedRange(null, [0, 100], 1, 2), [0, 10]);
  deepEqual(movedRange([40, 60], [0, 100], 1), [42, 62]);
  deepEqual(movedRange([79, 99], [0, 100], 1), [80, 100]);
  deepEqual(resizedRange([40, 60], [0, 100], 1, 1), [40, 62]);
  deepEqual(resizedRange([90, 100], [0, 100], 1, 1), [90, 100]);
  deepEqual(resizedRange([40, 41], [0, 100], -1, 1), [40, 41]);
  deepEqual(shiftInto([-5, 500], [0, 100]), [0, 100]);
});

test('a busy stretch goes over short pauses, and ends at long ones', () => {
  const totals = Uint8Array.from([0, 0, 200, 200, 0, 0, 200, 0, 0, 0, 0, 0, 200]);
  deepEqual(busyStretch(totals, 3), [2, 6]);
  deepEqual(busyStretch(totals, 12), [12, 12]);
  deepEqual(busyStretch(totals, 8), [2, 6], 'beside it');
  equal(busyStretch(Uint8Array.from([0, 0, 0, 0, 0, 9]), 1), null);
  equal(busyStretch(totals, 16), null);
});

test('moving the window leaves out ranges that it left', () => {
  deepEqual(withLastMoved([[0, 50], [10, 20]], [30, 40]), [[0, 50], [30, 40]]);
  deepEqual(withLastMoved([[0, 50], [10, 20]], [45, 55]), [[45, 55]]);
});

test('blocks are where a thread was not there', () => {
  const life = { name: 'worker', registered: 25, unregistered: 90 };
  const blocks = emptyBlocks(life, [0, 100], 1000, 1);
  deepEqual(blocks.map(({ left, right }) => [left, right]), [[0, 250], [900, 1000]]);
  equal(blockAt(blocks, 100)?.text, 'worker has not started yet');
  equal(blockAt(blocks, 250), null);
  deepEqual(emptyBlocks(life, [24.5, 90.5], 1000, 1), []);
  deepEqual(emptyBlocks(life, [0, 20], 1000, 1).map(({ left, right }) => [left, right]), [[0, 1000]]);
});

test('lanes lie below each other and fill the graph', () => {
  const { activity, waits, strip } = graphLanes(44, true, true);
  ok(waits && strip);
  ok(activity.top + activity.height < waits.top && waits.top + waits.height < strip.top && strip.top + strip.height <= 44);
  equal(graphLanes(28, true, false).strip, null, 'there is no room');
});

test('counters have a scale and values between their rows', () => {
  const line = { least: Float32Array.of(NaN, 2, NaN, NaN, 4), most: Float32Array.of(NaN, 3, NaN, NaN, 8), accumulated: false };
  deepEqual(counterScale(line), { low: 0, high: 8 });
  deepEqual(counterScale({ ...line, accumulated: true }), { low: 2, high: 8 });
  equal(nearestPixel(line, 0), 1);
  equal(nearestPixel(line, 3), 4);
  deepEqual(extentIn(line, [0, 50], [0, 30]), { low: 2, high: 3 });
  equal(extentIn(line, [0, 50], [20, 30]), null);
});

const counterOf = (name: string, category: string, display: Record<string, unknown> | null = null): Parameters<typeof counterDisplay>[0] =>
  ({ name, category, display, description: '', pid: '1', thread: 0 });

test('values of counters have their units', () => {
  equal(counterDisplay(counterOf('processCPU', 'CPU'), false, 'ns').write(1.5e9), '150%');
  equal(counterDisplay(counterOf('malloc', 'Memory'), true, null).write(3 * 1024 * 1024), '3MB');
  equal(counterDisplay(counterOf('socket', 'Bandwidth'), false, null).write(2048), '2kB/s');
  equal(counterDisplay(counterOf('CPU package', 'power'), false, null).write(1e9), '3.6W');
  equal(counterDisplay(counterOf('Queue', 'Queue', { unit: 'requests' }), true, null).write(41), '41 requests');
  equal(counterDisplay(counterOf('malloc', 'Memory'), true, null).color, 'orange');
});

test('numbers are short', () => {
  deepEqual([0, 7, 0.25, 41.26, 950, 1234, 999_600, 3.4e7, -83.2].map(shortNumber), ['0', '7', '0.25', '41.3', '950', '1.23k', '1M', '34M', '-83.2']);
});

test('what matches a search is marked', () => {
  deepEqual(markedParts('Worker 12', 'work, 1'), [{ part: 'Work', isMatch: true }, { part: 'er ', isMatch: false }, { part: '1', isMatch: true }, { part: '2', isMatch: false }]);
  deepEqual(markedParts('aXa', ''), [{ part: 'aXa', isMatch: false }]);
});

test('fills and lanes belong to their threads', () => {
  const part = {
    ask: 'tracks', range: [0, 2], width: 2,
    columns: {
      track: Uint16Array.of(1, 1), category: Uint16Array.of(0, 2), state: Uint8Array.of(1, 1), heights: Uint8Array.of(1, 2, 3, 4), totals: Uint8Array.of(0, 0, 9, 9),
      strip: Uint8Array.of(0, 1, 2, 3), accumulated: new Uint8Array(), least: new Float32Array(), most: new Float32Array(),
    },
  } as unknown as TracksPart;
  const threads = readThreads(part, [7, 5], () => '');
  equal(threads.get(7)?.fills.length, 0);
  deepEqual(threads.get(5)?.fills.map(({ category, heights }) => [category, [...heights]]), [[0, [1, 2]], [2, [3, 4]]]);
  deepEqual([...(threads.get(5)?.strip ?? [])], [2, 3]);
  equal(threads.get(5)?.waits, undefined);
});

test('an order names no more than what is not as usual', () => {
  deepEqual(shortOrder(['t2', 't3', 't0', 't1', 'c0'], TRACKS), ['t2', 't0']);
  deepEqual(shortOrder(['t0', 'c0', 't1', 't2', 't3'], TRACKS), ['c0', 't1']);
  deepEqual(shortOrder(TRACKS.map(({ id }) => id), TRACKS), []);
});

test('edges of ranges are drawn to those of markers near them', () => {
  const columns = { left: Uint16Array.from([10, 40]), width: Uint16Array.from([20, 5]) } as unknown as Lane['columns'];
  const lanes: Lane[] = [{ width: 100, columns, first: 0, end: 2 }], scale = { range: [0, 1000] as const, width: 100 };
  equal(snapTime(lanes, scale, 120, 8), 100);
  equal(snapTime(lanes, scale, 290, 8), 300);
  equal(snapTime(lanes, scale, 390, 8), 400, 'the nearest of two');
  equal(snapTime(lanes, scale, 700, 8), 700, 'none is near');
  equal(snapTime([{ ...lanes[0]!, end: 1 }], scale, 390, 8), 390, 'markers of other tracks');
});

test('what is selected is told of all threads together', () => {
  const fill = (state: number, ...heights: number[]): Activity['fills'][number] => ({ category: 0, library: '', state, heights: Uint8Array.from(heights) });
  const totals = new Uint8Array(4);
  const heights = selectedHeights([{ totals, fills: [fill(1, 0, 255, 0, 0), fill(0, 9, 9, 9, 9)] }, { totals, fills: [fill(1, 0, 51, 51, 0)] }], 4);
  deepEqual([...heights].map((height) => Math.round(height * 10)), [0, 12, 2, 0]);
  deepEqual(extentOf(heights), [1, 2]);
  equal(extentOf(new Float32Array(3)), null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupAt, groupsOf, markAt, markEdges, marksOfRow, rowStarts, type MarkerRows, type Marks } from '../src/charts/marker_layout.ts';
import { textTable } from '../src/format/text_table.ts';
import { barHeights, bucketBounds } from '../src/markers/histogram.ts';
import { durationSearch, durationText, GOES_ON, nameSearch, STARTS_BEFORE } from '../src/markers/marker.ts';
import { rangeChoices, rangeOfMarker } from '../src/markers/ranges.ts';
import { sortedBy } from '../src/markers/sorting.ts';
import { lanesOf, markInLane } from '../src/timeline/lane_layout.ts';

const u32 = (...values: number[]): Uint32Array => Uint32Array.from(values);

/** 100 pixels for 10 ms; row 4 has three marks, row 6 one. */
const marks = (): Marks => ({
  range: [0, 10], width: 100, labels: [], from: 4, starts: rowStarts(u32(4, 4, 4, 6), 4, 8),
  columns: { row: u32(4, 4, 4, 6), thread: u32(0, 0, 0, 0), marker: u32(1, 2, 3, 4), left: u32(0, 30, 60, 50), width: u32(10, 10, 1, 50), category: u32(0, 0, 0, 0), flags: u32(STARTS_BEFORE, 0, 0, GOES_ON), label: u32(0, 0, 0, 0) },
});

test('marks of a row', () => {
  assert.deepEqual(marksOfRow(marks(), 4), [0, 3]);
  assert.deepEqual(marksOfRow(marks(), 5), [3, 3]);
  assert.deepEqual(marksOfRow(marks(), 6), [3, 4]);
  assert.deepEqual(marksOfRow(marks(), 7), [4, 4]);
  for (const outside of [3, 8, 100]) assert.deepEqual(marksOfRow(marks(), outside), [0, 0]);
});

test('a mark is where its time is now, and goes on where it is said to', () => {
  const zoomed = { shown: [2, 4] as const, width: 200 };
  assert.deepEqual(markEdges(marks(), zoomed, 1), [100, 200]);
  assert.deepEqual(markEdges(marks(), { shown: [-5, 20], width: 250 }, 0), [0, 60]);
  assert.deepEqual(markEdges(marks(), { shown: [-5, 20], width: 250 }, 3), [100, 250]);
});

test('the mark under the pointer, else the nearest within reach', () => {
  const scale = { shown: [0, 10] as const, width: 100 };
  assert.equal(markAt(marks(), scale, 4, 35, 4), 1);
  assert.equal(markAt(marks(), scale, 4, 42, 4), 1);
  assert.equal(markAt(marks(), scale, 4, 58, 4), 2);
  assert.equal(markAt(marks(), scale, 4, 50, 4), null);
  assert.equal(markAt(marks(), scale, 5, 35, 4), null);
  assert.equal(markAt(marks(), scale, 6, 99, 4), 3);
});

test('moments and intervals of a name are one group', () => {
  const rows: MarkerRows = {
    rows: 9, markers: 12, buckets: { category: [0], row: [0], rows: [9] },
    columns: { bucket: u32(0, 0, 0, 0), name: u32(7, 7, 7, 8), thread: u32(0, 0, 1, 1), row: u32(1, 2, 5, 6), rows: u32(1, 3, 1, 3), count: u32(1, 4, 2, 5) },
  };
  const groups = groupsOf(rows);
  assert.deepEqual(groups, [
    { name: 7, thread: 0, row: 1, rows: 4, count: 5 },
    { name: 7, thread: 1, row: 5, rows: 1, count: 2 },
    { name: 8, thread: 1, row: 6, rows: 3, count: 5 },
  ]);
  assert.equal(groupAt(groups, 0), null);
  assert.equal(groupAt(groups, 4), groups[0]);
  assert.equal(groupAt(groups, 5), groups[1]);
  assert.equal(groupAt(groups, 8), groups[2]);
  assert.equal(groupAt(groups, 9), null);
});

test('a click on a header sorts by it, a second one turns it round, earlier columns stay', () => {
  assert.deepEqual(sortedBy(['start'], 'name'), ['name', 'start']);
  assert.deepEqual(sortedBy(['name', 'start'], 'name'), ['-name', 'start']);
  assert.deepEqual(sortedBy(['-name', 'start'], 'name'), ['name', 'start']);
  assert.deepEqual(sortedBy(['name', 'start'], 'start'), ['start', 'name']);
  assert.deepEqual(sortedBy(['start'], 'duration'), ['-duration', 'start']);
  assert.deepEqual(sortedBy(['-duration', 'start'], 'duration'), ['duration', 'start']);
  assert.deepEqual(sortedBy(['start', '-duration'], 'duration'), ['-duration', 'start']);
});

test('the range of a marker lies in what can be shown', () => {
  const interval = { start: 5, end: 8, duration: 3, cut_off: false };
  assert.deepEqual(rangeOfMarker(interval, [0, 100], [0, 100]), [5, 8]);
  assert.deepEqual(rangeOfMarker(interval, [6, 7], [6, 7]), [6, 7]);
  assert.equal(rangeOfMarker(interval, [20, 30], [20, 30]), null);
  assert.deepEqual(rangeOfMarker({ start: 50, end: null, duration: null, cut_off: false }, [0, 100], [0, 100]), [49.5, 50.5]);
  assert.deepEqual(rangeOfMarker({ start: 50, end: null, duration: null, cut_off: true }, [0, 100], [0, 100]), [50, 100]);
});

test('ranges that would be empty cannot be chosen', () => {
  const choices = rangeChoices({ start: 5, end: 8, duration: 3, cut_off: false }, [0, 100], [5, 7]);
  assert.deepEqual(choices.map(({ range }) => range), [[5, 8], [5, 7], null, null, [5, 8]]);
  const moment = rangeChoices({ start: 6, end: null, duration: null, cut_off: false }, [0, 100], [5, 7]);
  assert.deepEqual(moment.map(({ range }) => range), [[6, 7], [5, 6]]);
});

test('a name is searched for by its longest piece without a comma', () => {
  assert.equal(nameSearch('Paint'), 'name:Paint');
  assert.equal(nameSearch('map<int, Thing>'), 'name:map<int');
  assert.equal(nameSearch(' , '), '');
  assert.equal(durationSearch('Paint', 0.5, 1234.5678), 'name:Paint, duration:0.5ms..1234.57ms');
});

test('durations of moments are empty, those that were cut off unknown', () => {
  assert.equal(durationText(NaN, false), '');
  assert.equal(durationText(null, false), '');
  assert.equal(durationText(NaN, true), 'unknown');
  assert.equal(durationText(1.5, false), '1.5ms');
});

test('parts of a histogram', () => {
  assert.deepEqual(bucketBounds(0, 20, false, 3), [3, 4]);
  assert.deepEqual(bucketBounds(0, 20, false, 19), [19, 20]);
  const [from, to] = bucketBounds(1, 1e20, true, 2);
  assert.ok(Math.abs(from / 100 - 1) < 1e-9 && Math.abs(to / 1000 - 1) < 1e-9);
  assert.deepEqual(barHeights([0, 1, 1000]), [0, 0.06, 1]);
  assert.deepEqual(barHeights([0, 0]), [0, 0]);
});

test('a table as text, and as Markdown', () => {
  const heads = ['Start', 'Name'], rows = [['1ms', 'a|b'], ['10ms', 'c\nd']];
  assert.equal(textTable('text', heads, rows, new Set([0])), 'Start  Name\n  1ms  a|b\n 10ms  c d\n');
  assert.equal(textTable('markdown', heads, rows, new Set([0])), '| Start | Name |\n| ----: | ---- |\n|   1ms | a\\|b |\n|  10ms | c d  |\n');
});

test('lanes by thread, and the mark at a place of one', () => {
  const columns = {
    track: u32(0, 0, 2), level: u32(0, 1, 0), thread: u32(5, 5, 9), marker: u32(1, 2, 3), left: u32(10, 20, 0), width: u32(30, 10, 100), category: u32(0, 0, 0), flags: u32(0, 0, 0), name: u32(0, 0, 0),
  };
  const lanes = lanesOf({ ask: 'marker_lanes', width: 100, columns }, [5, 6, 9]);
  assert.deepEqual([...lanes.keys()], [5, 9]);
  const lane = lanes.get(5)!;
  assert.equal(markInLane(lane, 50, 10, 3), 0);
  assert.equal(markInLane(lane, 50, 12, 9), 1);
  assert.equal(markInLane(lane, 50, 17, 9), 1);
  assert.equal(markInLane(lane, 50, 30, 9), null);
  assert.equal(markInLane(lanes.get(9)!, 50, 30, 3), 2);
});

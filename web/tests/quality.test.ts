import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clockText, qualitySentences, SERIOUS } from '../src/frame/quality.ts';

test('a good recording has nothing to be told before anything else', () => {
  assert.deepEqual(qualitySentences(null), []);
  assert.deepEqual(qualitySentences({ taken: 1000, lost: 5, truncatedShare: 0.01, goneMs: 0, notes: ['paused 1 time, 0.2 s in all'] }), []);
});

test('what is lost, cut off or gone is told with its figure, and what can be done', () => {
  assert.deepEqual(qualitySentences({ taken: 900, lost: 100 }), ['100 samples (10%) were lost: shares are those of the others. With a lower --rate fewer are.']);
  assert.deepEqual(qualitySentences({ truncatedShare: 0.25 }), ['25% of the CPU time has stacks that are cut off: callers are missing.']);
  assert.match(qualitySentences({ goneMs: 61_000 })[0]!, /^The oldest 1m01s of thread time are gone: .* --buffer-size/);
});

test('notes that change what a tree says are told, too, and each is one that the recorder writes', () => {
  const recorder = readFileSync(join(import.meta.dirname, '../../src/import/session_quality.c'), 'utf8');
  for (const piece of SERIOUS) assert.ok(recorder.includes(piece), piece);
  assert.deepEqual(qualitySentences({ notes: ['the recording has no end: the program was killed, or still runs', 'paused'] }), ['The recording has no end: the program was killed, or still runs.']);
});

test('the clock is told with why a better one was refused', () => {
  assert.equal(clockText({}), '');
  assert.equal(clockText({ clock: 'events', clockRefused: null }), 'events of each thread’s CPU clock');
  assert.match(clockText({ clock: 'ticks', tickMs: 4, clockRefused: 'EACCES' }), /^the kernel’s ticks, 4ms apart; events were refused \(EACCES\): sysctl/);
});

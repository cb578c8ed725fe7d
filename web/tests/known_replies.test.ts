import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownReplies } from '../src/transport/known_replies.ts';
import type { Reply } from '../src/transport/protocol.ts';

const replyOf = (generation: number): Reply => ({ generation, parts: [], strings: { ids: [], texts: [], cut: [] } });

test('a reply is found by its request', () => {
  const known = new KnownReplies(), reply = replyOf(1);
  known.add('a', reply, 10);
  assert.equal(known.find('a'), reply);
  assert.equal(known.find('b'), undefined);
});

test('of too many bytes, what nobody has looked for goes first', () => {
  const known = new KnownReplies();
  known.add('a', replyOf(1), 1_500_000);
  known.add('b', replyOf(2), 1_500_000);
  known.find('a');
  known.add('c', replyOf(3), 1_500_000);
  assert.equal(known.find('b'), undefined);
  assert.deepEqual([known.find('a')?.generation, known.find('c')?.generation], [1, 3]);
});

test('a reply that comes again counts once', () => {
  const known = new KnownReplies();
  for (let i = 0; i < 10; i++) known.add('a', replyOf(i), 1_500_000);
  known.add('b', replyOf(20), 1_500_000);
  assert.deepEqual([known.find('a')?.generation, known.find('b')?.generation], [9, 20]);
});

test('one that is larger than all may be is not kept', () => {
  const known = new KnownReplies();
  known.add('a', replyOf(1), 10);
  known.add('b', replyOf(2), 5_000_000);
  assert.deepEqual([known.find('a')?.generation, known.find('b')], [1, undefined]);
});

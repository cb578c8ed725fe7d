import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { afterPanel, followAsk, renderWithPanel } from '../src/state/after_panel.ts';

globalThis.requestAnimationFrame = (run) => setTimeout(() => run(0), 0) as unknown as number;

/** Timers of the same length run in the order that they were set in. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await pause(0);
}

let clock = 0;
performance.now = () => clock;

test('what is beside the panel goes out at once where the panel asks nothing', async () => {
  const ran: string[] = [];
  afterPanel('tracks', () => ran.push('tracks'));
  assert.deepEqual(ran, []);
  await turns();
  assert.deepEqual(ran, ['tracks']);
});

test('it waits for what the panel asks, and only the last of a lane goes out', async () => {
  const ran: string[] = [];
  let answer = (): void => {};
  const reply = followAsk('tree', new Promise<void>((resolve) => (answer = resolve)));
  afterPanel('tracks', () => ran.push('first'));
  afterPanel('tracks', () => ran.push('second'));
  await turns();
  assert.deepEqual(ran, []);
  answer();
  await reply;
  assert.deepEqual(ran, []);
  await turns();
  assert.deepEqual(ran, ['second']);
});

test('a request that fails is answered, too', async () => {
  const ran: string[] = [];
  const reply = followAsk('tree', Promise.reject(new Error('refused')));
  afterPanel('sidebar', () => ran.push('sidebar'));
  await assert.rejects(reply);
  await turns();
  assert.deepEqual(ran, ['sidebar']);
});

test('other requests are not waited for', async () => {
  const ran: string[] = [];
  void followAsk('tooltip', new Promise(() => {}));
  afterPanel('tracks', () => ran.push('tracks'));
  await turns();
  assert.deepEqual(ran, ['tracks']);
});

test('where the panel asks all the time, it waits no longer than a tenth of a second', async () => {
  const ran: string[] = [], answers: (() => void)[] = [];
  const ask = (): Promise<void> => followAsk('tree', new Promise<void>((resolve) => answers.push(resolve)));
  const first = ask(), second = ask(), third = ask();
  afterPanel('tracks', () => ran.push('tracks'));
  answers[0]!();
  await first;
  await turns();
  assert.deepEqual(ran, []);
  clock += 101;
  answers[1]!();
  await second;
  await turns();
  assert.deepEqual(ran, ['tracks']);
  answers[2]!();
  await third;
});

test('what has changed is rendered at once where the panel asks nothing', async () => {
  const ran: string[] = [];
  renderWithPanel(() => ran.push('render'));
  await Promise.resolve();
  assert.deepEqual(ran, ['render']);
});

test('it is rendered with the reply', async () => {
  const ran: string[] = [];
  let answer = (): void => {};
  renderWithPanel(() => ran.push('render')); // before the request of the same task
  const reply = followAsk('tree', new Promise<void>((resolve) => (answer = resolve)));
  await Promise.resolve();
  assert.equal(ran.length, 0);
  answer();
  await reply;
  await turns();
  assert.deepEqual(ran, ['render']);
});

test('it is rendered without the reply where that is late', async () => {
  const rendered = new Promise<string>((resolve) => renderWithPanel(() => resolve('render')));
  let answer = (): void => {};
  const reply = followAsk('tree', new Promise<void>((resolve) => (answer = resolve)));
  assert.equal(await rendered, 'render');
  answer();
  await reply;
});

// What a person does on the page, each with how it is undone, measured from the event to the picture.
import type { Page } from '../web/node_modules/playwright-core/index.mjs';
import type { Shown } from './page_probe.ts';
import type { Series } from './statistics.ts';

export const QUIET_MS = 150;

export interface Timings {
  readonly frame: Series;
  readonly panel: Series;
  readonly page: Series;
  readonly requests: Series;
}
export type Measured = Map<string, Timings>;

export class Hand {
  readonly page: Page;
  readonly measured: Measured = new Map();

  constructor(page: Page) {
    this.page = page;
  }

  settled(): Promise<Shown> {
    return this.page.evaluate((quiet) => globalThis.bench.settled(quiet), QUIET_MS);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
    await this.settled();
  }

  async measure(name: string, act: () => Promise<unknown>): Promise<void> {
    await this.page.evaluate(() => globalThis.bench.arm());
    await act();
    const { frame, panel, page, requests } = await this.settled();
    if (frame === null || panel === null || page === null) return;
    const timings = this.measured.get(name) ?? { frame: [], panel: [], page: [], requests: [] };
    this.measured.set(name, timings);
    timings.frame.push(frame);
    timings.panel.push(panel);
    timings.page.push(page);
    timings.requests.push(requests);
  }

  key(name: string, key: string): Promise<void> {
    return this.measure(name, () => this.page.keyboard.press(key));
  }

  async box(selector: string): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await this.page.locator(selector).first().boundingBox();
    if (!box) throw new Error(`${selector} is not on the page`);
    return box;
  }
}

const TRANSFORMS = [['merge function', 'm'], ['merge node', 'M'], ['focus on function', 'f'], ['focus on subtree', 'F'], ['collapse function', 'c']] as const;
const TABS = [['functions', '2'], ['flame graph', '3'], ['stack chart', '4'], ['marker chart', '5'], ['marker table', '6'], ['call tree', '1']] as const;
const TERMS = ['script', 'gc', 'paint', 'malloc', 'wait'];

/** Another node each time, so that nothing is there already. */
async function onTree(hand: Hand, round: number): Promise<void> {
  await hand.press('1');
  await hand.page.locator('.tree-row .name').first().click(); // keys are for the tree, and not for the timeline
  await hand.press('Home', ...Array<string>(1 + (round % 6)).fill('ArrowDown'));
  for (const [name, key] of TRANSFORMS) {
    await hand.key(name, key);
    await hand.press('Control+z');
  }
  await hand.key('invert', 'i');
  await hand.key('invert back', 'i');
  await hand.key('close a row', 'ArrowLeft');
  await hand.key('open a row', 'ArrowRight');
}

async function onSearch(hand: Hand, round: number): Promise<void> {
  await hand.press('/');
  for (const letter of TERMS[round % TERMS.length]!) await hand.key('search, a letter', letter);
  await hand.press('Control+a', 'Delete', 'Escape');
}

async function dragRange(hand: Hand, from: number, to: number, steps: number, pauseMs = 0): Promise<void> {
  const { x, y, width } = await hand.box('.track-graph'), { mouse } = hand.page;
  await mouse.move(x + from * width, y + 10);
  await mouse.down();
  for (let i = 1; i <= steps; i++) {
    await mouse.move(x + (from + ((to - from) * i) / steps) * width, y + 10);
    if (pauseMs > 0) await hand.page.waitForTimeout(pauseMs);
  }
  await mouse.up();
}

async function onRange(hand: Hand, round: number): Promise<void> {
  await dragRange(hand, 0.05 + 0.02 * round, 0.6 + 0.01 * round, 4);
  await hand.settled();
  await hand.key('commit a range', 'z');
  await hand.key('back to the larger range', 'Backspace');
}

export async function allActions(hand: Hand, rounds: number): Promise<void> {
  await hand.settled();
  for (let round = 0; round < rounds; round++) {
    await onTree(hand, round);
    await onSearch(hand, round);
    await onRange(hand, round);
    for (const [name, key] of TABS) await hand.key(`tab: ${name}`, key);
  }
}

// --- frames ---------------------------------------------------------------------------------------------------------------------------------

const STEPS = 50, PAUSE_MS = 20;

async function framesOf(hand: Hand, act: () => Promise<void>): Promise<Series> {
  await hand.settled();
  await hand.page.evaluate(() => globalThis.bench.startFrames());
  await act();
  const deltas = await hand.page.evaluate(() => globalThis.bench.endFrames());
  await hand.settled();
  return deltas;
}

/** Milliseconds between frames while something moves. */
export async function allFrames(hand: Hand): Promise<Map<string, Series>> {
  const frames = new Map<string, Series>(), { mouse, keyboard } = hand.page;
  const steps = async (step: (i: number) => Promise<void>): Promise<void> => {
    for (let i = 0; i < STEPS; i++) {
      await step(i);
      await hand.page.waitForTimeout(PAUSE_MS);
    }
  };
  const over = async (): Promise<{ x: number; y: number; width: number; height: number }> => {
    const box = await hand.box('#panel');
    await mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    return box;
  };
  await hand.press('1', 'Home', '*');
  await over();
  frames.set('scrolling the tree', await framesOf(hand, () => steps((i) => mouse.wheel(0, i < STEPS / 2 ? 120 : -120))));
  frames.set('dragging a range', await framesOf(hand, () => dragRange(hand, 0.1, 0.8, STEPS, PAUSE_MS)));
  await hand.press('Escape', '3');
  const { x, y, width, height } = await over();
  frames.set('pointing at the flame graph', await framesOf(hand, () => steps((i) => mouse.move(x + width * (0.1 + 0.01 * i), y + height * (0.9 - 0.012 * i)))));
  await hand.press('4');
  await over();
  await keyboard.down('Control');
  frames.set('zooming the stack chart', await framesOf(hand, () => steps((i) => mouse.wheel(0, i < STEPS / 2 ? -60 : 60))));
  await keyboard.up('Control');
  await hand.press('Escape', '1');
  return frames;
}

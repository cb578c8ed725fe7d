// Charts over time show the preview range: wheel, drag and keys change it.
import { signal } from '@preact/signals';
import { adjust, committed, opened, shownRange } from '../state/store.ts';
import type { Command } from '../state/commands.ts';
import { graphWidth } from '../timeline/model.ts';
import { LABEL_WIDTH, RIGHT_MARGIN } from '../timeline/scale.ts';
import { whileHeld } from './held_key.ts';
import { heldPixels, heldZoom, panRange, previewFor, wheelMeaning, zoomRange, type TimeWindow } from './time_zoom.ts';

const timeWindow = (): TimeWindow => ({ shown: shownRange.peek(), limit: committed.peek(), shortest: opened.peek()?.interval || 1 });

function showTimes(range: readonly [number, number]): void {
  const preview = previewFor(range, committed.peek()), shown = shownRange.peek();
  if (range[0] !== shown[0] || range[1] !== shown[1]) adjust({ preview });
}

/** `share`: where in the width it stays as it is. */
export const zoomTimes = (share: number, factor: number): void => showTimes(zoomRange(timeWindow(), share, factor));
export const panTimes = (pixels: number, width: number): void => showTimes(panRange(timeWindow(), pixels / Math.max(1, width)));

let hasZoomed = false, hiding = 0;
const HINT_MS = 1000;
/** Told to who turns the wheel without a key, until they have zoomed once. */
export const zoomHint = signal(false);

/** Of an element whose contents scroll by themselves. `left` is where time begins in the window. */
export function wheelOverTimes(event: WheelEvent, left: number, width: number): void {
  const meaning = wheelMeaning(event);
  if (!meaning) {
    if (hasZoomed) return;
    zoomHint.value = true;
    clearTimeout(hiding);
    hiding = window.setTimeout(() => (zoomHint.value = false), HINT_MS);
    return;
  }
  event.preventDefault();
  if ('pan' in meaning) return panTimes(meaning.pan, width);
  hasZoomed = true;
  zoomHint.value = false;
  zoomTimes(Math.max(0, Math.min(1, (event.clientX - left) / Math.max(1, width))), meaning.zoom);
}

/** CSS pixels that time takes in a chart: those of the timeline where the chart is as wide, so that one x is one moment. */
export function timeWidth(chartWidth: number): number {
  const ofTimeline = graphWidth.value / devicePixelRatio, own = Math.max(1, chartWidth - LABEL_WIDTH - RIGHT_MARGIN);
  return ofTimeline > 0 && Math.abs(ofTimeline - own) < 2 * RIGHT_MARGIN ? ofTimeline : own;
}

interface TimeKeys {
  readonly group: string;
  readonly width: () => number;
  readonly scroll: (pixels: number) => void;
  /** Whether letters that are transforms where something is selected move the chart. */
  readonly isFree: () => boolean;
}

export function timeCommands({ group, width, scroll, isFree }: TimeKeys): Command[] {
  const pan = (sign: number) => (): void => whileHeld((ms) => panTimes(sign * heldPixels(ms), width()));
  const up = (sign: number) => (): void => whileHeld((ms) => scroll(sign * heldPixels(ms)));
  const zoom = (inward: boolean) => (): void => whileHeld((ms) => zoomTimes(0.5, heldZoom(ms, inward)));
  return [
    { group, title: 'Zoom in', keys: ['q', 'y', 'Ctrl+ArrowUp'], run: zoom(true) },
    { group, title: 'Zoom out', keys: ['e', 'u', 'Ctrl+ArrowDown'], run: zoom(false) },
    { group, title: 'Earlier', keys: ['h', 'Shift+ArrowLeft'], run: pan(-1) },
    { group, title: 'Later', keys: ['l', 'Shift+ArrowRight'], run: pan(1) },
    { group, title: 'Scroll up', keys: ['w', 'k', 'Shift+ArrowUp'], run: up(-1) },
    { group, title: 'Scroll down', keys: ['j', 'Shift+ArrowDown'], run: up(1) },
    { group, title: 'Earlier (nothing is selected)', keys: ['a'], when: isFree, run: pan(-1) },
    { group, title: 'Later (nothing is selected)', keys: ['d'], when: isFree, run: pan(1) },
    { group, title: 'Scroll down (nothing is selected)', keys: ['s'], when: isFree, run: up(1) },
  ];
}

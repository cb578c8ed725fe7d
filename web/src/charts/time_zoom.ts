// Zooming and panning of charts over time: which range is shown after a turn of the wheel, a drag, or a key. Nothing here draws or asks.
import type { Range } from '../transport/protocol.ts';

export interface TimeWindow {
  readonly shown: Range;
  /** What can be shown at most: the committed range. */
  readonly limit: Range;
  /** The shortest range, in milliseconds: about one sample. */
  readonly shortest: number;
}

const length = ([start, end]: Range): number => end - start;

/** Moves a range into another one that is at least as long. */
function moveInto(start: number, span: number, [least, most]: Range): Range {
  const from = Math.max(least, Math.min(most - span, start));
  return [from, Math.min(most, from + span)];
}

/** `share` of the width stays where it is; a factor below 1 shows less time. */
export function zoomRange({ shown, limit, shortest }: TimeWindow, share: number, factor: number): Range {
  const span = Math.min(length(limit), Math.max(Math.min(shortest, length(shown)), length(shown) * factor));
  const held = shown[0] + share * length(shown);
  return moveInto(held - share * span, span, limit);
}

/** By so much of the width; positive is later. */
export function panRange({ shown, limit }: TimeWindow, share: number): Range {
  return moveInto(shown[0] + share * length(shown), length(shown), limit);
}

/** The preview range that shows a range: none where it is all there is. */
export function previewFor(range: Range, limit: Range): Range | null {
  const slack = length(limit) * 1e-9;
  return range[0] - limit[0] <= slack && limit[1] - range[1] <= slack ? null : range;
}

/** What a turn of the wheel means. */
export type WheelMeaning = { readonly zoom: number } | { readonly pan: number } | null;

interface Wheel {
  readonly deltaX: number;
  readonly deltaY: number;
  readonly deltaMode: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

const PER_PIXEL = 1.003, CTRL_SPEED = 3;
/** Browsers count in pixels, lines, or pages. */
const UNITS = [1, 16, 400];

/**
 * A pinch comes as a wheel with Ctrl. With Shift some browsers turn the wheel sideways, so that either delta may be it.
 * A wheel that goes sideways pans; anything else is for scrolling, and null.
 */
export function wheelMeaning({ deltaX, deltaY, deltaMode, ctrlKey, metaKey, shiftKey }: Wheel): WheelMeaning {
  const unit = UNITS[deltaMode] ?? 1, zooms = ctrlKey || metaKey;
  if (zooms || shiftKey) return { zoom: PER_PIXEL ** ((deltaY || deltaX) * unit * (zooms ? CTRL_SPEED : 1)) };
  return Math.abs(deltaX) > Math.abs(deltaY) ? { pan: deltaX * unit } : null;
}

/** Of keys, while they are held. */
const PIXELS_PER_SECOND = 2000;
export const heldPixels = (ms: number): number => (PIXELS_PER_SECOND * ms) / 1000;
/** A quarter of a second of holding the key shows half as much, or twice. */
export const heldZoom = (ms: number, inward: boolean): number => 2 ** ((inward ? -1 : 1) * (ms / 250));

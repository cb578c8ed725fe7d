// Notches of round times, at least so far apart that their labels can be read.
import type { JSX } from 'preact';
import { committed } from '../state/store.ts';
import { roundStep, timestamp } from '../format/numbers.ts';
import { LABEL_WIDTH, RIGHT_MARGIN, xOf } from './scale.ts';

const LEAST_PIXELS = 55;

export function Ruler({ width }: { readonly width: number }): JSX.Element {
  const range = committed.value;
  const scale = { range, width };
  const step = roundStep(((range[1] - range[0]) / Math.max(width, 1)) * LEAST_PIXELS);
  const notches: number[] = [];
  if (width > 0) for (let n = Math.ceil(range[0] / step); n * step <= range[1]; n++) notches.push(n);
  return (
    <div class="ruler" style={{ left: `${LABEL_WIDTH}px`, right: `${RIGHT_MARGIN}px` }} aria-hidden="true">
      {notches.map((n) => (
        <span key={n} class="notch" style={{ left: `${xOf(scale, n * step)}px` }}>
          {timestamp(n * step, step)}
        </span>
      ))}
    </div>
  );
}

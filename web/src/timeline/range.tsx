// Choosing a range: dragging over the tracks, then its edges, its middle, and the button that commits it.
import type { JSX } from 'preact';
import { adjust, committed, commitPreview, hoveredTime, view } from '../state/store.ts';
import { duration, timestamp } from '../format/numbers.ts';
import type { Range } from '../transport/protocol.ts';
import { followPointer, swallowClick } from './drag.ts';
import { shiftInto } from './range_moves.ts';
import { snapTime } from './snap.ts';
import { lanes } from './marker_lanes.ts';
import { clampRange, LABEL_WIDTH, RIGHT_MARGIN, timeAt, xOf, type Scale } from './scale.ts';

type Grip = 'start' | 'middle' | 'end';

const ordered = (a: number, b: number): Range => (a <= b ? [a, b] : [b, a]);

/** While Alt is held edges of the range go to those of markers near them. */
const REACH_PIXELS = 8;
const snapped = (scale: Scale, time: number, { altKey }: PointerEvent): number => (altKey ? snapTime(lanes.peek().values(), scale, time, REACH_PIXELS) : time);

/** Begins a new range, where the pointer went down over tracks. */
export function beginRange(event: PointerEvent, area: HTMLElement, width: number): void {
  if (event.button !== 0) return;
  const x = event.clientX - area.getBoundingClientRect().left - LABEL_WIDTH;
  if (x < 0 || x > width) return;
  const scale: Scale = { range: committed.peek(), width };
  const from = timeAt(scale, x);
  const before = view.peek().preview;
  followPointer(event, {
    move: (dx, _dy, now) => adjust({ preview: clampRange(ordered(snapped(scale, from, now), snapped(scale, timeAt(scale, x + dx), now)), scale.range) }),
    click: () => {
      if (!before || (from >= before[0] && from <= before[1])) return;
      swallowClick();
      adjust({ preview: null });
    },
  });
}

function moveGrip(event: PointerEvent, grip: Grip, width: number): void {
  if (event.button !== 0) return;
  event.stopPropagation();
  event.preventDefault();
  const scale: Scale = { range: committed.peek(), width };
  const preview = view.peek().preview;
  if (!preview) return;
  const [start, end] = preview, perPixel = (scale.range[1] - scale.range[0]) / width;
  followPointer(event, {
    move: (dx, _dy, now) => {
      const by = dx * perPixel;
      if (grip === 'middle') adjust({ preview: shiftInto([start + by, end + by], scale.range) });
      else adjust({ preview: clampRange(grip === 'start' ? ordered(snapped(scale, start + by, now), end) : ordered(start, snapped(scale, end + by, now)), scale.range) });
    },
    cursor: grip === 'middle' ? 'grabbing' : 'ew-resize',
  });
}

/** Over all tracks: what is outside of the preview is dimmed. */
export function RangeOverlay({ width }: { readonly width: number }): JSX.Element | null {
  const { preview } = view.value;
  const scale: Scale = { range: committed.value, width };
  const hovered = hoveredTime.value;
  const box = { left: `${LABEL_WIDTH}px`, right: `${RIGHT_MARGIN}px` };
  if (width === 0) return null;
  const line = hovered !== null && hovered >= scale.range[0] && hovered <= scale.range[1] ? xOf(scale, hovered) : null;
  return (
    <div class="range-overlay" style={box}>
      {line !== null && (
        <div class="hairline" style={{ transform: `translateX(${line}px)` }}>
          <span class={line > width - 60 ? 'left' : ''}>{timestamp(hovered!, (scale.range[1] - scale.range[0]) / width)}</span>
        </div>
      )}
      {preview && <Preview preview={preview} scale={scale} />}
    </div>
  );
}

function Preview({ preview, scale }: { readonly preview: Range; readonly scale: Scale }): JSX.Element {
  const left = xOf(scale, preview[0]), right = xOf(scale, preview[1]);
  const grip = (which: Grip) => (event: PointerEvent) => moveGrip(event, which, scale.width);
  const length = duration(preview[1] - preview[0]);
  return (
    <>
      <div class="dimmed" style={{ left: 0, width: `${Math.max(0, left)}px` }} />
      <div class="dimmed" style={{ left: `${right}px`, right: 0 }} />
      <div class="range-grips" style={{ left: `${left}px`, width: `${right - left}px` }}>
        <div class="range-held">
          <div class="grip start" onPointerDown={grip('start')} />
          <div class="grip middle" onPointerDown={grip('middle')} />
          <div class="grip end" onPointerDown={grip('end')} />
          <button class="commit-range" title={`Zoom to this range: ${length} (z)`} aria-label={`Zoom to the range of ${length}`}
            onPointerDown={(event) => event.stopPropagation()} onClick={commitPreview}>
            <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="M6.5 1a5.5 5.5 0 1 0 3.4 9.8l3.6 3.7 1.1-1.1-3.7-3.6A5.5 5.5 0 0 0 6.5 1Zm0 1.6a3.9 3.9 0 1 1 0 7.8 3.9 3.9 0 0 1 0-7.8ZM5.8 4v1.8H4v1.4h1.8V9h1.4V7.2H9V5.8H7.2V4Z" fill="currentColor" /></svg>
          </button>
          <span class="range-length">{length}</span>
        </div>
      </div>
    </>
  );
}

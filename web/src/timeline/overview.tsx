// The whole profile in a strip, where a part of it is shown: the window can be dragged to another part.
import type { JSX } from 'preact';
import { adjust, change, committed, view, wholeRange } from '../state/store.ts';
import { duration, timestamp } from '../format/numbers.ts';
import type { Range } from '../transport/protocol.ts';
import { followPointer } from './drag.ts';
import { shiftInto, withLastMoved } from './range_moves.ts';
import { LABEL_WIDTH, RIGHT_MARGIN, timeAt, xOf } from './scale.ts';

/** The first move is an entry of the history, those that follow belong to it. */
function showAt(range: Range, isFirst: boolean): void {
  const to = { ranges: withLastMoved(view.peek().ranges, shiftInto(range, wholeRange.peek())), preview: null };
  if (isFirst) change('Another part of the profile', to);
  else adjust(to);
}

function begin(event: PointerEvent, width: number): void {
  if (event.button !== 0) return;
  const scale = { range: wholeRange.peek(), width }, { left } = (event.currentTarget as Element).getBoundingClientRect();
  const at = timeAt(scale, event.clientX - left), [start, end] = committed.peek(), half = (end - start) / 2;
  const isInside = at >= start && at <= end;
  let isFirst = true;
  const show = (range: Range): void => {
    showAt(range, isFirst);
    isFirst = false;
  };
  followPointer(event, {
    cursor: 'grabbing',
    move: (dx) => {
      const by = timeAt(scale, dx) - scale.range[0];
      show(isInside ? [start + by, end + by] : [at + by - half, at + by + half]);
    },
    click: () => !isInside && show([at - half, at + half]),
  });
}

export function Overview({ width }: { readonly width: number }): JSX.Element | null {
  const whole = wholeRange.value, [start, end] = committed.value, scale = { range: whole, width };
  if (view.value.ranges.length === 0 || width === 0) return null;
  const step = (end - start) / 100;
  const text = `${timestamp(start - whole[0], step)} to ${timestamp(end - whole[0], step)} of ${duration(whole[1] - whole[0])}`;
  const move = (event: KeyboardEvent): void => {
    const sign = { ArrowLeft: -1, ArrowRight: 1 }[event.key], by = (end - start) / 10;
    if (!sign) return;
    event.preventDefault();
    event.stopPropagation();
    showAt([start + sign * by, end + sign * by], false);
  };
  return (
    <div class="overview" style={{ marginLeft: `${LABEL_WIDTH}px`, marginRight: `${RIGHT_MARGIN}px` }} title={`Shown: ${text}`} onPointerDown={(event) => begin(event, width)}>
      <div class="overview-window" role="slider" tabIndex={0} aria-label="Part of the profile that is shown" aria-valuemin={0} aria-valuemax={Math.round(whole[1] - whole[0])} aria-valuenow={Math.round(start - whole[0])}
        aria-valuetext={text} style={{ left: `${xOf(scale, start)}px`, width: `${Math.max(3, xOf(scale, end) - xOf(scale, start))}px` }} onKeyDown={move} />
    </div>
  );
}

// Ranges that a marker gives: its own, and those that begin or end where it does.
import type { Range } from '../transport/protocol.ts';
import type { MarkerPart } from './marker.ts';

export type Times = Pick<MarkerPart, 'start' | 'end' | 'duration' | 'cut_off'>;

const isEmpty = ([start, end]: Range): boolean => !(start < end);
const within = ([start, end]: Range, [least, most]: Range): Range => [Math.max(least, start), Math.min(most, end)];

/** What a moment is shown in: so much of what is shown, to both sides. */
const AROUND_MOMENT = 1 / 200;

/** Where it lasts, inside of a limit; a little around it where it is a moment. Null: it does not lie in the limit. */
export function rangeOfMarker({ start, end, duration, cut_off: isCutOff }: Times, limit: Range, shown: Range): Range | null {
  const over = isCutOff ? (end !== null && end > start ? end : limit[1]) : start + (duration ?? 0);
  const around = over > start ? 0 : (shown[1] - shown[0]) * AROUND_MOMENT;
  const range = within([start - around, over + around], limit);
  return isEmpty(range) ? null : range;
}

export interface RangeChoice {
  readonly title: string;
  /** Null where it would be empty. */
  readonly range: Range | null;
}

/** What the menu of a marker offers; `shown` is the range that gets another start, or another end. */
export function rangeChoices(marker: Times, limit: Range, shown: Range): RangeChoice[] {
  const choice = (title: string, range: Range): RangeChoice => {
    const limited = within(range, limit);
    return { title, range: isEmpty(limited) ? null : limited };
  };
  const { start } = marker, length = marker.duration ?? 0;
  if (length <= 0) return [choice('Start selection here', [start, shown[1]]), choice('End selection here', [shown[0], start])];
  const end = start + length;
  return [
    choice('Set selection from marker’s duration', [start, end]),
    choice('Start selection at marker’s start', [start, shown[1]]),
    choice('Start selection at marker’s end', [end, shown[1]]),
    choice('End selection at marker’s start', [shown[0], start]),
    choice('End selection at marker’s end', [shown[0], end]),
  ];
}

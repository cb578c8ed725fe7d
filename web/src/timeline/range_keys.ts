// Ranges by keys, by the wheel, and by a double click.
import { panRange, previewFor, wheelMeaning, zoomRange } from '../charts/time_zoom.ts';
import { duration, timestamp } from '../format/numbers.ts';
import { adjust, announcement, commitPreview, committed, hoveredTime, opened, shownRange, view } from '../state/store.ts';
import type { Command } from '../state/commands.ts';
import type { Range } from '../transport/protocol.ts';
import { busyStretch, movedRange, resizedRange, shiftInto } from './range_moves.ts';
import { stepSample } from './sample.tsx';
import { timeAt } from './scale.ts';

function show(range: Range): void {
  const [start, end] = range, step = (end - start) / 100;
  adjust({ preview: range });
  announcement.value = `Range from ${timestamp(start, step)} to ${timestamp(end, step)}, ${duration(end - start)}`;
}

const shortest = (): number => opened.peek()?.interval || 1;

const move = (step: 1 | -1) => (): void => show(movedRange(view.peek().preview, committed.peek(), step, hoveredTime.peek()));
const resize = (step: 1 | -1) => (): void => show(resizedRange(view.peek().preview, committed.peek(), step, shortest(), hoveredTime.peek()));

function jump(to: 'start' | 'end'): void {
  const limit = committed.peek(), range = view.peek().preview ?? movedRange(null, limit, 1);
  show(shiftInto(to === 'start' ? [limit[0], limit[0] + range[1] - range[0]] : [limit[1], limit[1] + range[1] - range[0]], limit));
}

const group = 'Timeline';

/** While the focus is in the timeline. `isFree`: not on one of its buttons, which have keys of their own. */
export function rangeCommands(when: () => boolean, isFree: () => boolean): Command[] {
  const hasRange = (): boolean => view.peek().preview !== null;
  return [
    { group, title: 'Earlier range (in the timeline)', keys: ['ArrowLeft'], when, run: move(-1) },
    { group, title: 'Later range (in the timeline)', keys: ['ArrowRight'], when, run: move(1) },
    { group, title: 'Shorter range (in the timeline)', keys: ['Shift+ArrowLeft'], when, run: resize(-1) },
    { group, title: 'Longer range (in the timeline)', keys: ['Shift+ArrowRight'], when, run: resize(1) },
    { group, title: 'Range at the start (in the timeline)', keys: ['Home'], when, run: () => jump('start') },
    { group, title: 'Range at the end (in the timeline)', keys: ['End'], when, run: () => jump('end') },
    { group, title: 'Zoom to the range (in the timeline)', keys: ['Enter'], when: () => when() && isFree() && hasRange(), run: commitPreview },
  ];
}

export const sampleCommands = (): Command[] => [
  { group, title: 'Previous sample', keys: [','], run: () => void stepSample(-1) },
  { group, title: 'Next sample', keys: ['.'], run: () => void stepSample(1) },
];

/** What is under the pointer stays there, as far as the range that is shown has it. */
export function wheelOverTimeline(event: WheelEvent, left: number, width: number): void {
  const meaning = wheelMeaning(event), limit = committed.peek(), shown = shownRange.peek();
  if (!meaning || (event.shiftKey && !event.ctrlKey)) return;
  event.preventDefault();
  const frame = { shown, limit, shortest: shortest() }, ratio = (limit[1] - limit[0]) / (shown[1] - shown[0]);
  const under = (timeAt({ range: limit, width }, event.clientX - left) - shown[0]) / (shown[1] - shown[0]);
  const range = 'pan' in meaning ? panRange(frame, (meaning.pan / Math.max(1, width)) * ratio) : zoomRange(frame, Math.max(0, Math.min(1, under)), meaning.zoom);
  if (range[0] !== shown[0] || range[1] !== shown[1]) adjust({ preview: previewFor(range, limit) });
}

export function selectBusyStretch(event: MouseEvent, totals: Uint8Array | undefined, width: number): void {
  if (!totals) return;
  const { left } = (event.currentTarget as Element).getBoundingClientRect();
  const stretch = busyStretch(totals, Math.floor(((event.clientX - left) / width) * totals.length));
  if (!stretch) return;
  const scale = { range: committed.peek(), width: totals.length };
  const preview = previewFor([timeAt(scale, stretch[0]), timeAt(scale, stretch[1] + 1)], scale.range);
  if (preview) show(preview);
}

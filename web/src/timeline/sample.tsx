// The sample at a moment, what its stack is, and what a click on it selects.
import type { JSX } from 'preact';
import { adjust, announcement, ask, committed, hoveredTime, opened, select, shownRange, view } from '../state/store.ts';
import { placeOf, queryState, withPlace } from '../state/view.ts';
import { openPath } from '../state/walk.ts';
import type { Columns, Part, Path } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { timestamp } from '../format/numbers.ts';
import { dividedCategories, framePaint } from '../theme/frame_paint.ts';
import { selectedPath } from '../state/follow_place.ts';
import { graphWidth } from './model.ts';
import { timeAt } from './scale.ts';
import { clickThread } from './selection.ts';
import { selectedThreads } from './tracks.ts';

export interface SamplePart extends Part {
  readonly sample: number | null;
  readonly time: number;
  readonly cpu: number | null;
  readonly over: number;
  readonly path: Path | null;
  readonly more: boolean;
  readonly columns: Columns<'func' | 'name' | 'library' | 'category'>;
}

/** `height`: over the lower edge of the hills, where 1 is a CPU; the sample that is drawn there. Without it the nearest one in time. */
export async function sampleAt(thread: number, at: number, height: number | null = null): Promise<SamplePart | undefined> {
  const now = view.peek(), { inverted } = now;
  const hills = height === null ? {} : { share: height, width: graphWidth.peek(), by_library: dividedCategories.peek(), ...selectedPath(now, placeOf(now, inverted)) };
  const reply = await ask('sample', queryState(now, { inverted, preview: false }), [{ ask: 'sample_at', thread, at, ...hills }]);
  const part = reply?.parts[0] as SamplePart | undefined;
  return part && part.sample !== null && part.time !== null && part.columns.func.length > 0 ? part : undefined;
}

interface StackListProps {
  readonly columns: Columns<'name' | 'library' | 'category'>;
  readonly more: boolean;
  /** Frames are buttons where something can be done with one. */
  readonly choose?: (place: number) => void;
}

/** The stack of a sample or marker, the leaf first. */
export function StackList({ columns, more, choose }: StackListProps): JSX.Element {
  return (
    <ol class="stack-list">
      {Array.from(columns.name, (name, i) => (
        <li key={i}>
          <i class="stack-category" style={{ background: framePaint(columns.category[i]!, textOf(columns.library[i]), textOf(columns.name[i])).strong }} />
          {choose ? <button onClick={() => choose(i)}>{textOf(name)}</button> : <span>{textOf(name)}</span>} <small>{textOf(columns.library[i])}</small>
        </li>
      ))}
      {more && <li>…</li>}
    </ol>
  );
}

const timeUnder = (event: MouseEvent, width: number): number =>
  timeAt({ range: committed.peek(), width }, event.clientX - (event.currentTarget as HTMLElement).getBoundingClientRect().left);

export async function selectSampleAt(event: MouseEvent, thread: number, width: number, height: number | null): Promise<void> {
  const at = timeUnder(event, width), sample = sampleAt(thread, at, height);
  if (!selectedThreads.peek().has(thread)) clickThread(thread, event);
  selectSample(await sample);
}

function selectSample(sample: SamplePart | undefined): void {
  const { inverted, transforms } = view.peek();
  if (!sample?.path) {
    select(null, inverted);
    return;
  }
  const place = placeOf(view.peek(), inverted);
  const above = sample.path.slice(0, -1);
  adjust(withPlace(inverted, { open: openPath(place.open, above), selected: sample.path, since: transforms.length }));
}

let lastTime: number | null = null, searching = false;
const MOST_STEPS = 12;

/** Selects the sample before or after the last one, of the first thread that is selected. */
export async function stepSample(step: 1 | -1): Promise<void> {
  const thread = [...selectedThreads.peek()][0], [start, end] = shownRange.peek(), interval = opened.peek()?.interval || 1;
  if (thread === undefined || searching) return;
  searching = true;
  const from = lastTime !== null && lastTime >= start && lastTime < end ? lastTime : step > 0 ? start - interval : end;
  // `sample_at` finds the nearest one: farther and farther away, until it is another one.
  let away = interval;
  for (let i = 0; i < MOST_STEPS; i++, away *= 2) {
    const at = from + step * away;
    const sample = await sampleAt(thread, Math.max(start, Math.min(end, at)));
    if (sample?.path && (sample.time - from) * step > 0 && sample.time >= start && sample.time < end) {
      lastTime = hoveredTime.value = sample.time;
      announcement.value = `Sample at ${timestamp(sample.time, 1)}: ${textOf(sample.columns.name[0])}`;
      selectSample(sample);
      break;
    }
    if (at < start || at > end) break;
  }
  searching = false;
}

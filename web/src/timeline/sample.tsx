// The sample under the pointer: what its tooltip says, and what a click on it selects.
import type { JSX } from 'preact';
import { adjust, ask, committed, opened, select, view, wholeRange } from '../state/store.ts';
import { placeOf, queryState, withPlace } from '../state/view.ts';
import { openPath } from '../state/walk.ts';
import type { Columns, Part, Path } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { duration, timestamp } from '../format/numbers.ts';
import { categoryPaint } from '../theme/colors.ts';
import { hideTooltip, showTooltip } from '../widgets/tooltip.tsx';
import { timeAt } from './scale.ts';
import { clickThread } from './selection.ts';
import { selectedThreads } from './tracks.ts';

interface SamplePart extends Part {
  readonly sample: number | null;
  readonly time: number;
  readonly cpu: number | null;
  readonly over: number;
  readonly path: Path | null;
  readonly more: boolean;
  readonly columns: Columns<'func' | 'name' | 'library' | 'category'>;
}

async function sampleAt(thread: number, at: number): Promise<SamplePart | undefined> {
  const { inverted } = view.peek();
  const reply = await ask('tooltip', queryState(view.peek(), { inverted, preview: false }), [{ ask: 'sample_at', thread, at }]);
  const part = reply?.parts[0] as SamplePart | undefined;
  return part && part.time !== null && part.columns.func.length > 0 ? part : undefined;
}

interface StackListProps {
  readonly columns: Columns<'name' | 'library' | 'category'>;
  readonly more: boolean;
  /** Frames are buttons where something can be done with one. */
  readonly choose?: (place: number) => void;
}

/** The stack of a sample or marker, the leaf first. */
export function StackList({ columns, more, choose }: StackListProps): JSX.Element {
  const categories = opened.peek()!.categories;
  return (
    <ol class="stack-list">
      {Array.from(columns.name, (name, i) => (
        <li key={i}>
          <i class="stack-category" style={{ background: categoryPaint(categories[columns.category[i]!]?.color ?? 'grey').strong }} />
          {choose ? <button onClick={() => choose(i)}>{textOf(name)}</button> : <span>{textOf(name)}</span>} <small>{textOf(columns.library[i])}</small>
        </li>
      ))}
      {more && <li>…</li>}
    </ol>
  );
}

function SampleTip({ sample }: { readonly sample: SamplePart }): JSX.Element {
  const category = opened.peek()!.categories[sample.columns.category[0]!];
  return (
    <div class="sample-tip">
      <dl>
        <dt>Sampled at</dt>
        <dd>{timestamp(sample.time - wholeRange.peek()[0], 1)}</dd>
        {sample.cpu !== null && <><dt>CPU</dt><dd>{sample.cpu}% (average over {duration(sample.over)})</dd></>}
        {category && <><dt>Category</dt><dd><i class="square" style={{ background: categoryPaint(category.color).strong }} />{category.name}</dd></>}
      </dl>
      <StackList columns={sample.columns} more={sample.more} />
    </div>
  );
}

const timeUnder = (event: MouseEvent, width: number): number =>
  timeAt({ range: committed.peek(), width }, event.clientX - (event.currentTarget as HTMLElement).getBoundingClientRect().left);

export async function showSampleTooltip(event: PointerEvent, thread: number, width: number, height: number): Promise<void> {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const sample = await sampleAt(thread, timeUnder(event, width));
  const interval = (opened.peek()?.interval ?? 1) * 1.5, perPixel = (committed.peek()[1] - committed.peek()[0]) / width;
  if (!sample || Math.abs(sample.time - timeAt({ range: committed.peek(), width }, event.clientX - box.left)) > Math.max(interval, 4 * perPixel)) hideTooltip();
  else showTooltip(event.clientX, box.top + height - 8, <SampleTip sample={sample} />);
}

export async function selectSampleAt(event: MouseEvent, thread: number, width: number): Promise<void> {
  const at = timeUnder(event, width);
  if (!selectedThreads.peek().has(thread)) clickThread(thread, event);
  const sample = await sampleAt(thread, at);
  const { inverted, transforms } = view.peek();
  if (!sample?.path) {
    select(null, inverted);
    return;
  }
  const place = placeOf(view.peek(), inverted);
  const above = sample.path.slice(0, -1);
  adjust(withPlace(inverted, { open: openPath(place.open, above), selected: sample.path, since: transforms.length }));
}

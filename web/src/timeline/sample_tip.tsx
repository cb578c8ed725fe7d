// What a tooltip over the hills says: the sample there, how busy the CPU was, and what the thread waited for.
import type { JSX } from 'preact';
import { HoverTip } from '../charts/hover_tip.ts';
import { duration, percent, timestamp } from '../format/numbers.ts';
import { committed, generation, opened, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import { framePaint } from '../theme/frame_paint.ts';
import { textOf } from '../transport/texts.ts';
import { hideTooltip } from '../widgets/tooltip.tsx';
import { blockAt } from './empty_blocks.ts';
import { trackData } from './model.ts';
import { sampleAt, StackList, type SamplePart } from './sample.tsx';
import { timeAt } from './scale.ts';
import { activityOf, blocksOf } from './track_activity.ts';
import type { Activity, TrackData } from './track_data.ts';
import type { Track } from './tracks.ts';

const tip = new HoverTip<SamplePart>();

export function hideSampleTip(): void {
  tip.hide();
  hideTooltip();
}

const WAITS = ['', '', 'Ready, without a CPU', 'Waiting', 'Waiting'];

function waitText({ waits, waitNames }: Activity, x: number): string {
  const state = waits?.[x] ?? 0, name = state < 2 ? '' : textOf(waitNames?.[x]);
  return name && state > 2 ? `Waiting in ${name}` : (WAITS[state] ?? '');
}

function cpuText(activity: Activity, x: number, { cpus }: TrackData, folded: boolean): string {
  const share = activity.totals[x]! / 255;
  return folded && cpus > 1 ? `${(share * cpus).toFixed(1)} of ${cpus}` : percent(share, 1);
}

interface TipProps {
  readonly title: string | null;
  readonly time: number;
  readonly cpu: string;
  readonly wait: string;
  readonly sample: SamplePart | undefined;
}

function ActivityTip({ title, time, cpu, wait, sample }: TipProps): JSX.Element {
  const leaf = sample?.columns.category[0], category = leaf === undefined ? undefined : opened.peek()?.categories[leaf];
  return (
    <div class="sample-tip">
      {title && <b>{title}</b>}
      <dl>
        <dt>{sample ? 'Sampled at' : 'Time'}</dt>
        <dd>{timestamp(sample?.time ?? time, 1)}</dd>
        <dt>CPU</dt>
        <dd>{sample && sample.cpu !== null ? `${sample.cpu}% (average over ${duration(sample.over)})` : cpu}</dd>
        {wait && <><dt>State</dt><dd>{wait}</dd></>}
        {sample && category && leaf !== undefined && (
          <><dt>Category</dt><dd><i class="square" style={{ background: framePaint(leaf, textOf(sample.columns.library[0])).strong }} />{category.name}</dd></>
        )}
      </dl>
      {sample && <StackList columns={sample.columns} more={sample.more} />}
    </div>
  );
}

/** A sample belongs to a pixel that is not farther away than one and a half intervals. */
function isNear(sample: SamplePart, time: number, width: number): boolean {
  const [start, end] = committed.peek();
  return Math.abs(sample.time - time) <= Math.max((opened.peek()?.interval ?? 1) * 1.5, (4 * (end - start)) / width);
}

/** So many of them are told apart. */
const HEIGHTS = 100;

export function showActivityTip(event: PointerEvent, track: Track, width: number, height: number | null): void {
  const data = trackData.peek(), activity = activityOf(track, data), { left } = (event.currentTarget as Element).getBoundingClientRect();
  if (!data || !activity) return;
  const { thread, folded, name } = track;
  const x = Math.max(0, Math.min(data.width - 1, Math.floor(((event.clientX - left) / width) * data.width)));
  const time = timeAt({ range: committed.peek(), width }, event.clientX - left);
  const block = blockAt(blocksOf(track, data), x);
  const key = JSON.stringify([generation.peek(), queryState(view.peek(), { preview: false }), track.id, x, height && Math.round(height * HEIGHTS)]);
  const cpu = cpuText(activity, x, data, folded), wait = waitText(activity, x);
  if (block) return tip.show(event, { key, content: () => <div class="sample-tip">{block.text}</div>, load: () => Promise.resolve(undefined) });
  tip.show(event, {
    key,
    content: (sample) => <ActivityTip title={folded ? name : null} time={time} cpu={cpu} wait={wait} sample={sample} />,
    load: async () => {
      const sample = thread === null || folded ? undefined : await sampleAt(thread, time, height);
      return sample && (height !== null || isNear(sample, time, width)) ? sample : undefined;
    },
  });
}

// Everything about a marker, in a tooltip or in the sidebar.
import type { JSX } from 'preact';
import { duration, timestamp } from '../format/numbers.ts';
import { opened } from '../state/store.ts';
import { StackList } from '../timeline/sample.tsx';
import { threadName } from '../timeline/tracks.ts';
import type { Column } from '../transport/protocol.ts';
import { visible } from '../transport/texts.ts';
import { showFunction } from './actions.ts';
import { durationText, type MarkerField, type MarkerPart } from './marker.ts';
import { categoryName, markerPaint } from './paint.ts';

/** In tooltips there is no more of anything than this. */
const TIP = { frames: 20, rows: 8, letters: 600 };
const UNLIMITED = { frames: Infinity, rows: Infinity, letters: Infinity };

type Limits = typeof TIP;

const isLink = (text: string): boolean => /^https?:\/\//i.test(text);

function cutText(text: string, { letters }: Limits): string {
  return visible(text.length > letters ? `${text.slice(0, letters)}…` : text);
}

function FieldValue({ field: { format, text, list, heads, table }, limits }: { readonly field: MarkerField; readonly limits: Limits }): JSX.Element {
  if (list) return <ul>{list.slice(0, limits.rows).map((item, i) => <li key={i}>{cutText(item, limits)}</li>)}{list.length > limits.rows && <li>…</li>}</ul>;
  if (table)
    return (
      <table>
        {heads?.some(Boolean) && <thead><tr>{heads.map((head, i) => <th key={i} scope="col">{visible(head)}</th>)}</tr></thead>}
        <tbody>
          {table.slice(0, limits.rows).map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cutText(cell, limits)}</td>)}</tr>)}
          {table.length > limits.rows && <tr><td>…</td></tr>}
        </tbody>
      </table>
    );
  if (format === 'url' && isLink(text)) return <a href={text} target="_blank" rel="noreferrer noopener">{cutText(text, limits)}</a>;
  return <>{cutText(text, limits)}</>;
}

/** At most so many of the frames. */
function firstFrames({ columns, more }: MarkerPart, most: number): { columns: MarkerPart['columns']; more: boolean } {
  const cut = (column: Column): Column => column.subarray(0, Math.min(most, column.length));
  return { columns: { func: columns.func, name: cut(columns.name), library: cut(columns.library), category: cut(columns.category) }, more: more || columns.name.length > most };
}

function Stack({ part, limits }: { readonly part: MarkerPart; readonly limits: Limits }): JSX.Element | null {
  if (!part.stack || part.columns.name.length === 0) return null;
  const { ago, thread } = part.stack, elsewhere = thread !== null && thread !== part.thread ? `, on ${threadName(thread)}` : '';
  return (
    <section>
      <h3>{ago !== null && ago > 0 ? `Stack, ${duration(ago)} before` : 'Stack'}{elsewhere}</h3>
      <StackList {...firstFrames(part, limits.frames)} choose={(place) => showFunction(part.columns.func[place]!)} />
    </section>
  );
}

/** `isTip`: with limits to what it shows. */
export function MarkerDetails({ part, isTip = false }: { readonly part: MarkerPart; readonly isTip?: boolean }): JSX.Element {
  const { name, label, description, type, category, thread, start, duration: length, cut_off: isCutOff, fields, cut } = part;
  const limits = isTip ? TIP : UNLIMITED, threads = opened.value?.threads.length ?? 0;
  const lasting = isCutOff ? 'unknown duration' : durationText(length, false);
  return (
    <div class="marker-details">
      <h2><i class="square" style={{ background: markerPaint(category ?? -1).border }} />{visible(name)}{lasting && <b class="figure">{lasting}</b>}</h2>
      {label && label !== name && <p class="marker-label">{cutText(label, limits)}</p>}
      {description && <p class="weak">{cutText(description, limits)}</p>}
      <dl>
        <dt>Start</dt><dd>{timestamp(start, 0.001)}</dd>
        {fields.map((field) => [<dt key={`${field.key} k`}>{cutText(field.label || field.key, limits)}</dt>, <dd key={`${field.key} v`}><FieldValue field={field} limits={limits} /></dd>])}
        {category !== null && <><dt>Category</dt><dd>{categoryName(category)}</dd></>}
        {!isTip && type !== null && type !== name && <><dt>Type</dt><dd>{visible(type)}</dd></>}
        {threads > 1 && <><dt>Thread</dt><dd>{threadName(thread)}</dd></>}
      </dl>
      {cut && <p class="weak">Some texts are longer than what is shown.</p>}
      <Stack part={part} limits={limits} />
    </div>
  );
}

interface MarkerTipProps {
  readonly name: string;
  readonly category: number;
  readonly part: MarkerPart | undefined;
}

/** What is known at once stands there until the rest has come. */
export function MarkerTip({ name, category, part }: MarkerTipProps): JSX.Element {
  if (part) return <MarkerDetails part={part} isTip={true} />;
  return <div class="marker-details"><h2><i class="square" style={{ background: markerPaint(category).border }} />{name}</h2></div>;
}

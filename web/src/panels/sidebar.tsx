// What is known of the selected node, or marker.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { count, percent, weightWithUnit, type WeightType } from '../format/numbers.ts';
import { afterPanel } from '../state/after_panel.ts';
import { ask, generation, opened, selectThreads, view } from '../state/store.ts';
import { selectedPath } from '../state/follow_place.ts';
import { isInvertedPanel, isMarkerPanel, placeOf, queryState } from '../state/view.ts';
import { categoryPaint } from '../theme/colors.ts';
import type { Ask, Columns, Part, QueryState } from '../transport/protocol.ts';
import { threadName, threadTitleAmong } from '../timeline/tracks.ts';
import { visible } from '../transport/texts.ts';
import { useSignalRun } from '../widgets/use.ts';
import { ErrorOf, type Errors } from './error_of.tsx';
import { NodeTimes } from './node_times.tsx';
import { HotLines } from './hot_lines.tsx';
import { lazy } from '../widgets/lazy.tsx';

interface NodePart extends Part {
  readonly function: { readonly func: number; readonly name: string; readonly library: string; readonly file: string; readonly line: number | null; readonly total: number; readonly self: number; readonly errors: Errors | null; readonly nodes: number } | null;
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly total: number;
  readonly self: number;
  readonly errors: Errors | null;
  readonly columns: Columns<'category' | 'subcategory' | 'category_total' | 'category_self' | 'thread' | 'thread_total' | 'thread_self'>;
}

interface ShownNode extends NodePart {
  /** What all of the range weighs, where filters have left some of it out. */
  readonly everything: number | null;
}

const RangeSidebar = lazy(async () => (await import('../frame/later.ts')).RangeSidebar);
const ComparisonSidebar = lazy(async () => (await import('../frame/later.ts')).ComparisonSidebar);
const MarkerSidebar = lazy(async () => (await import('../frame/later.ts')).MarkerSidebar);

/** null: nothing is selected; undefined: that is not known before the panel has its rows. */
const node = signal<ShownNode | null | undefined>(undefined);

let last: string | null = null;

function follow(): void {
  const inverted = isInvertedPanel(view.value);
  const { path, since } = selectedPath(view.value, placeOf(view.value, inverted));
  const state = queryState(view.value, { inverted });
  const key = opened.value && path ? JSON.stringify([state, path, since, generation.value]) : '';
  if (key === last) return;
  last = key;
  if (key === '' && node.peek() !== undefined) node.value = null;
  else afterPanel('sidebar', () => (key === '' ? showNothing() : void load(key, state, { ask: 'node', path, since })));
}

function showNothing(): void {
  if (last === '') node.value = null;
}

/** The last one that was asked for: it is the same for all nodes. */
let whole: { readonly key: string; readonly weight: number } | null = null;

/** What there is without filters and transforms; null where there are none. */
async function everythingOf({ threads, range, preview, strategy, search, idle, implementation, transforms = [] }: QueryState): Promise<number | null> {
  if (!search && idle && implementation === 'combined' && transforms.length === 0) return null;
  const state = { ...(threads ? { threads } : {}), range, preview, strategy }, key = JSON.stringify([state, generation.peek()]);
  if (whole?.key === key) return whole.weight;
  const reply = await ask('sidebar-whole', state, [{ ask: 'rows', after: 0 }]);
  if (!reply) return null;
  whole = { key, weight: (reply.parts[0] as NodePart).root_total };
  return whole.weight;
}

async function load(key: string, state: QueryState, request: Ask): Promise<void> {
  const [reply, everything] = await Promise.all([ask('sidebar', state, [request]), everythingOf(state)]);
  if (reply && key === last) node.value = { ...(reply.parts[0] as NodePart), everything };
}

interface BarProps {
  readonly name: string;
  readonly value: number;
  readonly whole: number;
  readonly type: WeightType;
  readonly color: string;
  /** It has parts of its own, which are shown, or not. */
  readonly isOpen?: boolean;
  readonly toggle?: () => void;
  readonly isSub?: boolean;
  /** Where a click leads. */
  readonly open?: { readonly title: string; readonly run: () => void };
}

function Bar({ name, value, whole, type, color, isOpen = false, toggle, isSub = false, open }: BarProps): JSX.Element {
  return (
    <div class={`bar-row${isSub ? ' sub' : ''}`}>
      {toggle ? <button aria-expanded={isOpen} onClick={toggle}><span class="toggle" aria-hidden="true">{isOpen ? '▼' : '▶'}</span> {name}</button> : open ? <button title={open.title} onClick={open.run}>{name}</button> : <span>{name}</span>}
      <span>{percent(value, whole)}</span>
      <span>{type === 'samples' ? count(value) : weightWithUnit(value, type)}</span>
      <i style={{ '--share': String(whole ? Math.min(1, Math.abs(value / whole)) : 0), '--color': color }} />
    </div>
  );
}

/** Categories that somebody opened, by their places. */
const openCategories = signal<ReadonlySet<number>>(new Set());

function toggleCategory(category: number): void {
  const open = new Set(openCategories.peek());
  if (!open.delete(category)) open.add(category);
  openCategories.value = open;
}

interface Sub {
  readonly sub: number;
  readonly value: number;
}

/** By category what its subcategories have, the largest first. */
function subsOf({ columns: { category, subcategory, ...values } }: NodePart, which: 'category_total' | 'category_self'): Map<number, Sub[]> {
  const found = new Map<number, Sub[]>();
  category.forEach((one, i) => {
    if (values[which][i] !== 0) found.set(one, [...(found.get(one) ?? []), { sub: subcategory[i]!, value: values[which][i]! }]);
  });
  for (const subs of found.values()) subs.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return found;
}

function Categories({ part, which, title }: { readonly part: NodePart; readonly which: 'category_total' | 'category_self'; readonly title: string }): JSX.Element | null {
  const found = subsOf(part, which);
  const rows = [...found].map(([category, subs]) => [category, subs.reduce((sum, { value }) => sum + value, 0)] as const).filter(([, value]) => value !== 0).sort((a, b) => b[1] - a[1]);
  const whole = rows.reduce((sum, [, value]) => sum + value, 0);
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      {rows.map(([category, value]) => {
        const { name = '?', color = 'grey', subcategories = [] } = opened.value?.categories[category] ?? {}, subs = found.get(category)!;
        const isOpen = openCategories.value.has(category), paint = categoryPaint(color);
        const bar = (key: string, text: string, amount: number, more: Partial<BarProps> = {}): JSX.Element => <Bar key={key} name={text} value={amount} whole={whole} type={part.weight_type} color={paint.strong} {...more} />;
        return [
          bar(String(category), name, value, subs.length > 1 ? { isOpen, toggle: () => toggleCategory(category) } : {}),
          ...(isOpen && subs.length > 1 ? subs.map(({ sub, value: amount }) => bar(`${category}.${sub}`, subcategories[sub] ?? '?', amount, { isSub: true })) : []),
        ];
      })}
    </section>
  );
}

function Threads({ part }: { readonly part: NodePart }): JSX.Element | null {
  const { thread, thread_total: total } = part.columns;
  if (thread.length < 2) return null;
  const rows = Array.from(thread, (index, i) => ({ index, value: total[i]! })).filter(({ value }) => value !== 0).sort((a, b) => b.value - a.value).slice(0, 20);
  return (
    <section>
      <h3>Threads</h3>
      {rows.map(({ index, value }) => <Bar key={index} name={threadTitleAmong(index, thread)} value={value} whole={part.total} type={part.weight_type} color="var(--accent)"
        open={{ title: 'Only this thread', run: () => selectThreads(`Thread ${threadName(index)}`, [index]) }} />)}
    </section>
  );
}

function NodeSidebar(): JSX.Element {
  useSignalRun(follow);
  const part = node.value;
  if (part === undefined) return <div class="lazy" aria-busy="true" />;
  if (!part?.function) return <RangeSidebar />;
  const { name, library, file, line, total, self, nodes, errors } = part.function;
  const value = (amount: number, of: Errors | null, which: 'total' | 'self'): JSX.Element => (
    <>
      <td>{amount === 0 ? '—' : percent(amount, part.root_total)}</td>
      <td>{amount === 0 ? '—' : weightWithUnit(amount, part.weight_type)}<ErrorOf amount={amount} error={of?.[which]} type={part.weight_type} /></td>
    </>
  );
  return (
    <div class="node-details">
      <h2>{visible(name)}</h2>
      <p class="library">{visible(library)}{file && <><br />{visible(file)}{line !== null && `:${line}`}</>}</p>
      <table>
        <tbody>
          <tr><th scope="row">Total of this node</th>{value(part.total, part.errors, 'total')}</tr>
          <tr><th scope="row">Self of this node</th>{value(part.self, part.errors, 'self')}</tr>
          <tr><th scope="row">Total of the function{nodes > 1 && `, in ${count(nodes)} places`}</th>{value(total, errors, 'total')}</tr>
          <tr><th scope="row">Self of the function</th>{value(self, errors, 'self')}</tr>
          {part.everything !== null && part.everything !== part.root_total && (
            <tr title="Of what there is without filters and transforms"><th scope="row">This node, of everything in the range</th><td>{percent(part.total, part.everything)}</td><td /></tr>
          )}
        </tbody>
      </table>
      <NodeTimes inverted={isInvertedPanel(view.value)} />
      <HotLines func={part.function.func} />
      <Categories part={part} which="category_total" title="Categories, total" />
      <Categories part={part} which="category_self" title="Categories, self" />
      <Threads part={part} />
    </div>
  );
}

export function Sidebar(): JSX.Element {
  const { panel } = view.value;
  return panel === 'comparison' ? <ComparisonSidebar /> : isMarkerPanel(panel) ? <MarkerSidebar /> : <NodeSidebar />;
}

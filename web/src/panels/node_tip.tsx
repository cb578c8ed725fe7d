// The tooltip of a box: how much it is, what it is, and which categories it is made of.
import type { JSX } from 'preact';
import { percent, weightOrDash, weightWithUnit, type WeightType } from '../format/numbers.ts';
import { opened } from '../state/store.ts';
import { categoryPaint } from '../theme/colors.ts';
import { framePaint } from '../theme/frame_paint.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { threadTitleAmong } from '../timeline/tracks.ts';
import { visible } from '../transport/texts.ts';

export interface NodeFacts extends Part {
  readonly function: { readonly file: string; readonly line: number | null } | null;
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly total: number;
  readonly self: number;
  readonly columns: Columns<'category' | 'subcategory' | 'category_total' | 'category_self' | 'thread' | 'thread_total'>;
}

interface NodeTipProps {
  readonly name: string;
  readonly library: string;
  /** What stands first: the share, or how long a call took. */
  readonly figure: string;
  readonly category: number;
  readonly inlined?: boolean;
  /** Told with it, in rows. */
  readonly rows?: readonly (readonly [string, string])[];
  readonly facts: NodeFacts | undefined;
}

const MOST_ROWS = 14, MOST_THREADS = 3;

/** Whose samples they are, those with most first; nothing where all are of one thread that is selected alone. */
function threadsOf({ total, columns: { thread, thread_total: totals } }: NodeFacts): string {
  const own = Array.from(thread, (index, i) => ({ index, value: Math.abs(totals[i]!) })).filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  if (thread.length < 2 || total === 0) return '';
  const shown = own.slice(0, MOST_THREADS).map(({ index, value }) => `${threadTitleAmong(index, thread)} (${percent(value, Math.abs(total))})`);
  return `${shown.join(', ')}${own.length > MOST_THREADS ? ` and ${own.length - MOST_THREADS} more` : ''}`;
}

interface Sums {
  total: number;
  self: number;
}

/** Categories, the largest first; below each its subcategories, where there are several. */
function categorySums({ columns }: NodeFacts): { readonly key: string; readonly name: string; readonly color: string; readonly isSub: boolean; readonly sums: Sums }[] {
  const categories = new Map<number, { readonly sums: Sums; readonly subs: Map<number, Sums> }>();
  columns.category.forEach((category, i) => {
    const found = categories.get(category) ?? { sums: { total: 0, self: 0 }, subs: new Map<number, Sums>() };
    categories.set(category, found);
    const total = columns.category_total[i]!, self = columns.category_self[i]!;
    found.sums.total += total;
    found.sums.self += self;
    if (total !== 0) found.subs.set(columns.subcategory[i]!, { total, self });
  });
  const byTotal = <T,>(list: Iterable<T>, sums: (item: T) => Sums): T[] => [...list].filter((item) => sums(item).total !== 0).sort((a, b) => sums(b).total - sums(a).total);
  return byTotal(categories, ([, { sums }]) => sums).flatMap(([category, { sums, subs }]) => {
    const { name = '?', color = 'grey', subcategories = [] } = opened.peek()?.categories[category] ?? {};
    const inner = subs.size > 1 ? byTotal(subs, ([, sub]) => sub) : [];
    return [
      { key: String(category), name, color, isSub: false, sums },
      ...inner.map(([sub, subSums]) => ({ key: `${category}.${sub}`, name: subcategories[sub] ?? '?', color, isSub: true, sums: subSums })),
    ];
  });
}

function CategoryGrid({ facts }: { readonly facts: NodeFacts }): JSX.Element {
  const { total, self, weight_type: type } = facts, all = categorySums(facts);
  const rows = all.length > MOST_ROWS ? all.filter(({ isSub }) => !isSub) : all;
  const share = (value: number): string => `${total === 0 ? 0 : Math.abs((100 * value) / total)}%`;
  return (
    <div class="tip-grid">
      <span /><span /><b>{type === 'bytes' ? 'Total bytes' : 'Total'}</b><b>Self</b>
      <b>Overall</b><i /><b>{weightOrDash(total, type)}</b><b>{weightOrDash(self, type)}</b>
      {rows.slice(0, MOST_ROWS).map(({ key, name, color, isSub, sums }) => {
        const { strong, weak } = categoryPaint(color);
        return [
          <span key={`${key}n`} class={isSub ? 'sub' : ''}>{visible(name)}</span>,
          <i key={`${key}b`} style={{ background: `linear-gradient(${strong}, ${strong}) left / ${share(sums.self)} 100% no-repeat, linear-gradient(${weak}, ${weak}) left / ${share(sums.total)} 100% no-repeat, var(--border)` }} />,
          <span key={`${key}t`}>{weightOrDash(sums.total, type)}</span>,
          <span key={`${key}s`}>{weightOrDash(sums.self, type)}</span>,
        ];
      })}
      {rows.length > MOST_ROWS && <span>… {rows.length - MOST_ROWS} more</span>}
    </div>
  );
}

/** Of a node alone, without the picture that it is a box of. */
export function tipOfNode({ name, library, category }: Pick<NodeTipProps, 'name' | 'library' | 'category'>, facts: NodeFacts): JSX.Element {
  const { total, self, root_total: whole, weight_type: type } = facts, figure = percent(total, whole);
  const rows = [['Total', weightWithUnit(total, type)], ['Self', self === 0 ? '—' : `${weightWithUnit(self, type)} (${percent(self, whole)})`]] as const;
  return <NodeTip name={name} library={library} category={category} figure={figure} rows={rows} facts={facts} />;
}

export function NodeTip({ name, library, figure, category, inlined = false, rows = [], facts }: NodeTipProps): JSX.Element {
  const categoryName = opened.peek()?.categories[category]?.name;
  const file = facts?.function?.file;
  return (
    <div class="node-tip">
      <p class="tip-title"><span class="figure">{figure}</span> <b>{name}</b>{inlined && <small> (inlined)</small>}</p>
      <dl>
        {rows.map(([title, text]) => [<dt key={title}>{title}</dt>, <dd key={`${title}d`}>{text}</dd>])}
        {categoryName && <><dt>Category</dt><dd><span class="square" style={{ background: framePaint(category, library, name).strong }} />{visible(categoryName)}</dd></>}
        {facts && threadsOf(facts) && <><dt>Threads</dt><dd>{threadsOf(facts)}</dd></>}
        {library && <><dt>Library</dt><dd>{library}</dd></>}
        {file && <><dt>File</dt><dd>{visible(file)}{facts.function?.line ? `:${facts.function.line}` : ''}</dd></>}
      </dl>
      {facts && facts.total !== 0 && <CategoryGrid facts={facts} />}
    </div>
  );
}


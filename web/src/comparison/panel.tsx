// Two recordings side by side: what changed as a whole, and by functions, as a tree, or as a flame graph.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { EmptyPanel } from '../panels/empty.tsx';
import { file, opened, view } from '../state/store.ts';
import { visible } from '../transport/texts.ts';
import { useSignalRun } from '../widgets/use.ts';
import { ComparisonFlame } from './flame.tsx';
import { follow, part, rows, show } from './model.ts';
import { countText, unitText, verdictText, wholeText, type ComparePart, type ComparedSide, type ComparisonSort } from './part.ts';
import { ComparisonRows } from './rows.ts';

function Side({ name, side }: { readonly name: string; readonly side: ComparedSide }): JSX.Element {
  const threads = side.names.length === 0 ? 'no such thread' : side.names.length > 3 ? `${side.names.length} threads` : side.names.join(', ');
  return <><b>{visible(name)}</b> <span class="weak">({visible(threads)})</span></>;
}

/** What `sonde diff` begins with. */
function Whole({ now }: { readonly now: ComparePart }): JSX.Element {
  const { verdict, noise, base, new: side, significant, functions } = now, { ranges, preview } = view.value;
  return (
    <div class="compare-head" role="status">
      <span><Side name={opened.value?.base ?? ''} side={base} /> → <Side name={file.value?.name ?? ''} side={side} /></span>
      <span><b class={`verdict ${{ same: '', slower: 'more', faster: 'less' }[verdict]}`}>{verdictText(now)}</b> {wholeText(now)}</span>
      <span class="weak" title={`Samples come at random, and runs of the same program are taken to differ by ${100 * noise}%`}>{significant} of {functions} functions changed by more than chance explains</span>
      {(ranges.length > 0 || preview) && <span class="weak">Whole recordings are compared, not the range</span>}
      <span class="weak">{countText(now)}</span>
    </div>
  );
}

function SortHeader({ by, title, hint, ...rest }: { readonly by: ComparisonSort; readonly title: string; readonly hint: string; readonly class: string }): JSX.Element {
  const isSorted = view.value.comparison.sort === by;
  return (
    <span class={rest.class} title={hint}>
      <button aria-pressed={isSorted} aria-label={`Sort by ${title.toLowerCase()}`} class={isSorted ? 'sorted' : ''} onClick={() => !isSorted && show(`Sorted by ${title.toLowerCase()}`, { sort: by })}>{title}{isSorted ? ' ▾' : ''}</button>
    </span>
  );
}

function Header({ now }: { readonly now: ComparePart | null }): JSX.Element {
  const unit = now ? unitText(now) : '', head = (text: string, name: string): JSX.Element => <span class={name} title={unit}>{text}</span>;
  const isTree = view.value.comparison.as === 'tree';
  return (
    <div class="compare-header">
      {isTree ? head('Δ self', 'delta self') : <SortHeader class="delta self" by="self" title="Δ self" hint={`How much more ran in the function itself (${unit})`} />}
      {head('base', 'value self')}
      {head('new', 'value self')}
      {isTree ? head('Δ total', 'delta') : <SortHeader class="delta" by="total" title="Δ total" hint={`How much more ran in the function and in all it called (${unit})`} />}
      {head('base', 'value')}
      {head('new', 'value')}
      {isTree ? head('p', 'p') : <SortHeader class="p" by="p" title="p" hint="How often chance alone makes such a difference" />}
      {head('', 'fate')}
      {isTree ? head('Function', 'name') : <SortHeader class="name" by="name" title="Function" hint="By name" />}
      {head('Library', 'library')}
      {head('File', 'file')}
    </div>
  );
}

function Table(): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const made = new ComparisonRows(viewport.current!);
    return () => made.dispose();
  }, []);
  const { as, onlyChanged } = view.value.comparison, now = part.value;
  return (
    <div class={`compare-table as-${as}`}>
      <Header now={now} />
      <div ref={viewport} class="rows" role={as === 'tree' ? 'treegrid' : 'grid'} tabIndex={0} aria-label="Comparison" />
      {now && rows.value.length === 0 && (now.count > 0 && onlyChanged ? <p class="empty-panel" role="status">Nothing changed by more than chance explains.</p> : <EmptyPanel what="comparison" />)}
    </div>
  );
}

export function Comparison(): JSX.Element {
  useSignalRun(follow);
  const { as } = view.value.comparison, now = part.value;
  return (
    <div class="panel-compare">
      {now && <Whole now={now} />}
      {as === 'flame' ? <ComparisonFlame /> : <Table key={as} />}
    </div>
  );
}

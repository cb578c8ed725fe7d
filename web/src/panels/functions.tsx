// The function list, and beside it callers and callees of the function that is selected.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { change, view } from '../state/store.ts';
import { prefer, preferences } from '../theme/theme.ts';
import { Splitter } from '../widgets/splitter.tsx';
import { useSize } from '../widgets/use.ts';
import { ButterflyView } from './butterfly.tsx';
import { EmptyPanel } from './empty.tsx';
import { FunctionRows } from './function_rows.ts';
import { GroupRows } from './group_rows.ts';
import type { FunctionsSort } from '../state/view.ts';

/** What functions are grouped by, as people say it. */
export const GROUPS = { none: 'Function', library: 'Library', file: 'File', category: 'Category', class: 'Class' } as const;

const LEAST_LIST = 240, LEAST_BUTTERFLY = 200;

function SortHeader({ by, title, hint, ...rest }: { readonly by: FunctionsSort; readonly title: string; readonly hint: string; readonly class?: string }): JSX.Element {
  const isSorted = view.value.functionsSort === by;
  return (
    <span class={`${rest.class ?? 'sort-header'}${isSorted ? ' sorted' : ''}`} title={hint}>
      <button aria-pressed={isSorted} aria-label={`Sort by ${title.toLowerCase()}`} onClick={() => !isSorted && change(`Sorted by ${title.toLowerCase()}`, { functionsSort: by })}>{title}{isSorted ? (by === 'self' || by === 'total' ? ' ▾' : ' ▴') : ''}</button>
    </span>
  );
}

export function Functions(): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState<FunctionRows | GroupRows | null>(null), group = view.value.functionsGroup;
  const [area, { width }] = useSize<HTMLDivElement>();
  useLayoutEffect(() => {
    const made = group === 'none' ? new FunctionRows(viewport.current!) : new GroupRows(viewport.current!);
    setRows(made);
    return () => made.dispose();
  }, [group === 'none']);
  const share = preferences.value.columnWidths.functions ?? 0.5;
  const most = Math.max(LEAST_LIST, width - LEAST_BUTTERFLY), list = Math.max(LEAST_LIST, Math.min(most, share * width));
  const part = rows?.model.rows.value;
  const unit = { samples: 'samples', 'tracing-ms': 'ms', bytes: 'bytes', 'page faults': 'page faults' }[part?.weight_type ?? 'samples'];
  return (
    <div ref={area} class="panel-functions">
      <div class="function-list" style={{ width: `clamp(${LEAST_LIST}px, ${100 * share}%, calc(100% - ${LEAST_BUTTERFLY}px))` }}>
        <div class="function-header">
          <SortHeader by="self" title="Self" hint={`What ran in the function itself (${unit})`} />
          <SortHeader by="total" title="Total" hint={`What ran in the function and in all it called (${unit}); a recursion counts once`} />
          <SortHeader class="name" by="name" title={group === 'none' ? 'Function' : GROUPS[group]} hint="By name" />
          {group === 'none' ? <SortHeader class="library" by="library" title="Library" hint="By library, or where there is none by file" /> : <span class="library">Library</span>}
          <span class="file">File</span>
        </div>
        <div key={group === 'none' ? 'functions' : 'groups'} ref={viewport} class="rows" role={group === 'none' ? 'grid' : 'treegrid'} tabIndex={0} aria-label="Functions" />
        {part?.count === 0 && <EmptyPanel what="function list" />}
      </div>
      <Splitter direction="vertical" label="Width of the function list" value={list} least={LEAST_LIST} most={most}
        onChange={(to) => prefer({ columnWidths: { ...preferences.peek().columnWidths, functions: to / Math.max(1, width) } })} />
      <ButterflyView />
    </div>
  );
}

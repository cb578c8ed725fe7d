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

const LEAST_LIST = 240, LEAST_BUTTERFLY = 200;

function SortHeader({ by, title, hint }: { readonly by: 'self' | 'total'; readonly title: string; readonly hint: string }): JSX.Element {
  const isSorted = view.value.functionsSort === by;
  return (
    <span class={`sort-header${isSorted ? ' sorted' : ''}`} title={hint}>
      <button aria-pressed={isSorted} aria-label={`Sort by ${title.toLowerCase()}`} onClick={() => !isSorted && change(`Sorted by ${title.toLowerCase()}`, { functionsSort: by })}>{title}{isSorted ? ' ▾' : ''}</button>
    </span>
  );
}

export function Functions(): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState<FunctionRows | null>(null);
  const [area, { width }] = useSize<HTMLDivElement>();
  useLayoutEffect(() => {
    const made = new FunctionRows(viewport.current!);
    setRows(made);
    return () => made.dispose();
  }, []);
  const share = preferences.value.columnWidths.functions ?? 0.5;
  const most = Math.max(LEAST_LIST, width - LEAST_BUTTERFLY), list = Math.max(LEAST_LIST, Math.min(most, share * width));
  const part = rows?.model.rows.value;
  const unit = { samples: 'samples', 'tracing-ms': 'ms', bytes: 'bytes' }[part?.weight_type ?? 'samples'];
  return (
    <div ref={area} class="panel-functions">
      <div class="function-list" style={{ width: `clamp(${LEAST_LIST}px, ${100 * share}%, calc(100% - ${LEAST_BUTTERFLY}px))` }}>
        <div class="function-header">
          <SortHeader by="self" title="Self" hint={`What ran in the function itself (${unit})`} />
          <SortHeader by="total" title="Total" hint={`What ran in the function and in all it called (${unit}); a recursion counts once`} />
          <span>Function</span>
          <span class="library">Library</span>
          <span class="file">File</span>
        </div>
        <div ref={viewport} class="rows" role="grid" tabIndex={0} aria-label="Functions" />
        {part?.count === 0 && <EmptyPanel what="function list" />}
      </div>
      <Splitter direction="vertical" label="Width of the function list" value={list} least={LEAST_LIST} most={most}
        onChange={(to) => prefer({ columnWidths: { ...preferences.peek().columnWidths, functions: to / Math.max(1, width) } })} />
      <ButterflyView />
    </div>
  );
}

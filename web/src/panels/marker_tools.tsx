// Beside the search for markers: what makes a filter of it, and what copies the table.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { count, timestamp } from '../format/numbers.ts';
import { textTable, type TableFormat } from '../format/text_table.ts';
import { onlySamplesDuring } from '../markers/actions.ts';
import { copyText } from '../state/clipboard.ts';
import { ask, view } from '../state/store.ts';
import { markerState } from '../state/view.ts';
import { selectedThreads } from '../timeline/tracks.ts';
import { showMenu } from '../widgets/menu.tsx';
import { rowOf, type TablePart } from './marker_table_model.ts';

const MOST_ROWS = 10_000, NOTICE_MS = 3000;

const notice = signal('');

async function copyTable(format: TableFormat): Promise<void> {
  const reply = await ask('copy', markerState(view.peek()), [{ ask: 'marker_table', sorted_by: view.peek().markerSort, row: 0, before: 0, after: MOST_ROWS }]);
  const part = reply?.parts[0] as TablePart | undefined;
  if (!part) return;
  const several = selectedThreads.peek().size > 1;
  const rows = Array.from(part.columns.marker, (_, i) => {
    const { start, duration, name, thread, category, details } = rowOf(part, i);
    return [timestamp(start, 0.001), duration, name, ...(several ? [thread] : []), category, details];
  });
  await copyText(textTable(format, ['Start', 'Duration', 'Name', ...(several ? ['Thread'] : []), 'Category', 'Details'], rows, new Set([0, 1])), `${count(rows.length)} markers`);
  notice.value = part.count > rows.length ? `Copied the first ${count(rows.length)} of ${count(part.count)} markers` : `Copied ${count(rows.length)} ${rows.length === 1 ? 'marker' : 'markers'}`;
  setTimeout(() => (notice.value = ''), NOTICE_MS);
}

export function MarkerTools(): JSX.Element {
  const { panel, markerSearch } = view.value;
  const chooseFormat = (button: HTMLElement): void => {
    const { left, bottom } = button.getBoundingClientRect();
    showMenu(left, bottom, 'Copy the table', [
      { title: 'As text', run: () => void copyTable('text') },
      { title: 'As Markdown', run: () => void copyTable('markdown') },
    ]);
  };
  return (
    <>
      {notice.value && <span class="copy-notice" role="status">{notice.value}</span>}
      {panel === 'marker-table' && <button aria-haspopup="menu" title={`Copies the rows, at most ${count(MOST_ROWS)}`} onClick={({ currentTarget }) => chooseFormat(currentTarget)}>Copy table ▾</button>}
      <button disabled={markerSearch === ''} title={markerSearch === '' ? 'Search for markers first: then only samples in those can be kept' : `Leaves out samples outside of markers that match “${markerSearch}”`} onClick={() => onlySamplesDuring(markerSearch)}>Only samples in these markers</button>
    </>
  );
}

// The sidebar of marker panels: everything about the selected marker, or how long markers of each name last.
import { signal, untracked } from '@preact/signals';
import type { JSX } from 'preact';
import { onlySamplesDuring, showRangeOf, showStatisticsOf, stepInName } from '../markers/actions.ts';
import { MarkerDetails } from '../markers/details.tsx';
import { loadMarker, nameSearch, type MarkerPart } from '../markers/marker.ts';
import { adjust, file, generation, opened, view } from '../state/store.ts';
import { sameMarker } from '../state/view.ts';
import { useSignalRun } from '../widgets/use.ts';
import { MarkerStatistics } from './marker_statistics.tsx';

export const selectedMarker = signal<MarkerPart | null>(null);

let key = '';

/** The view changes all the time; asked is once for each marker. */
export function followSelectedMarker(): void {
  const { marker } = view.value, now = JSON.stringify([marker, generation.value, file.value?.id]);
  if (now === key) return;
  key = now;
  if (!marker || !opened.value) {
    selectedMarker.value = null;
    return;
  }
  void untracked(() => loadMarker('sidebar', marker)).then((part) => {
    if (part && sameMarker(part, view.peek().marker)) selectedMarker.value = part;
  });
}

export function MarkerSidebar(): JSX.Element {
  useSignalRun(followSelectedMarker);
  const part = selectedMarker.value;
  if (!part) return <MarkerStatistics />;
  return (
    <div class="marker-sidebar">
      <div class="marker-buttons">
        <button title="The marker before, of the same name (Alt+↑)" onClick={() => void stepInName(-1)}>↑ Previous</button>
        <button title="The marker behind, of the same name (Alt+↓)" onClick={() => void stepInName(1)}>↓ Next</button>
        <button title="Nothing selected: statistics" aria-label="Deselect" onClick={() => adjust({ marker: null })}>×</button>
      </div>
      <MarkerDetails part={part} />
      <div class="marker-buttons">
        <button onClick={() => showRangeOf(part)}>Set the range to this marker</button>
        <button title="Leaves out samples outside of the markers of this name" onClick={() => onlySamplesDuring(nameSearch(part.name))}>Only samples during markers like this</button>
        <button onClick={() => showStatisticsOf(part.name)}>Statistics of this name</button>
      </div>
    </div>
  );
}

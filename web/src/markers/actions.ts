// What can be done with a marker: by menu, by key, and by the buttons of the sidebar.
import { copyText } from '../state/clipboard.ts';
import type { Command } from '../state/commands.ts';
import { addTransform, adjust, announcement, ask, change, committed, selectThreads, shownRange, view } from '../state/store.ts';
import { nameOfFunc } from '../state/names.ts';
import { markerState, type MarkerId } from '../state/view.ts';
import { threadName } from '../timeline/tracks.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import { visible } from '../transport/texts.ts';
import { showMenu, type MenuEntry } from '../widgets/menu.tsx';
import { loadMarker, markerJson, nameSearch, stackText, urlOf, type MarkerPart } from './marker.ts';
import { categoryName } from './paint.ts';
import { rangeChoices, rangeOfMarker } from './ranges.ts';


/** Shows what runs while the marker lasts. */
export function showRangeOf(marker: MarkerPart): void {
  const preview = rangeOfMarker(marker, committed.peek(), shownRange.peek());
  if (preview) adjust({ preview });
}

export async function showRangeOfId(id: MarkerId): Promise<void> {
  const part = await loadMarker('marker', id);
  if (part) showRangeOf(part);
}

export function onlySamplesDuring(search: string): void {
  const { implementation } = view.peek();
  addTransform(`Only samples in markers ${search}`, { kind: 'filter-samples', funcs: [], text: `marker-search:${search}`, implementation, inverted: false });
}

export const showStatisticsOf = (name: string): void => change(`Statistics of ${name}`, { markerSearch: nameSearch(name), marker: null });
export const showFunction = (func: number): void => change(`Function ${nameOfFunc(func)}`, { panel: 'functions', func });

interface Neighbours extends Part {
  readonly first: number;
  readonly anchor: number | null;
  readonly columns: Columns<'thread' | 'marker' | 'name'>;
}

/** Selects the marker before or after the selected one, of those that have its name. */
export async function stepInName(by: 1 | -1): Promise<void> {
  const { marker: selected } = view.peek();
  if (!selected) return;
  const request = { ask: 'marker_table', sorted_by: ['name', 'start'], anchor: [selected.thread, selected.marker], before: 1, after: 2 };
  const reply = await ask('marker-step', markerState(view.peek(), { preview: false }), [request]);
  const part = reply?.parts[0] as Neighbours | undefined;
  if (!part || part.anchor === null) return;
  const { name, thread, marker } = part.columns, from = part.anchor - part.first, to = from + by;
  if (name[to] !== undefined && name[to] === name[from]) adjust({ marker: { thread: thread[to]!, marker: marker[to]! } });
  else announcement.value = `This is the ${by > 0 ? 'last' : 'first'} marker of its name`;
}

const toggled = (names: readonly string[], name: string): string[] => (names.includes(name) ? names.filter((other) => other !== name) : [...names, name]);

/** Of a folded category only the head is shown. */
export function toggleFolded(category: string): void {
  const { foldedMarkers } = view.peek();
  change(`${category} ${foldedMarkers.includes(category) ? 'unfolded' : 'folded'}`, { foldedMarkers: toggled(foldedMarkers, category) });
}

export const foldAll = (categories: readonly string[]): void => change(categories.length > 0 ? 'All categories folded' : 'All categories unfolded', { foldedMarkers: categories });

/** What a request takes at most. */
const LONGEST_NAME = 1000;

/** Names that are pinned are above all others. */
function pinEntry(name: string): MenuEntry {
  const { pinnedMarkers } = view.peek(), isPinned = pinnedMarkers.includes(name);
  return {
    disabled: name.length > LONGEST_NAME,
    title: isPinned ? `Unpin ${visible(name)}` : `Pin ${visible(name)} to the top`,
    run: () => change(`${name} ${isPinned ? 'unpinned' : 'pinned'}`, { pinnedMarkers: toggled(pinnedMarkers, name) }),
  };
}

/** Of rows, where no marker is pointed at. */
export function openNameMenu(name: string, { clientX, clientY }: MouseEvent): void {
  showMenu(clientX, clientY, 'Markers of this name', [pinEntry(name), { title: `Statistics of ${visible(name)}`, run: () => showStatisticsOf(name) }]);
}

async function copyLabel(id: MarkerId): Promise<void> {
  const part = await loadMarker('marker', id);
  if (part) await copyText(part.label || part.name, 'the label');
}

function markerMenu(part: MarkerPart): MenuEntry[] {
  const name = visible(part.name), url = urlOf(part), category = part.category === null ? null : categoryName(part.category);
  const copy = (title: string, text: () => string, what: string): MenuEntry => ({ title, run: () => void copyText(text(), what) });
  return [
    ...rangeChoices(part, committed.peek(), shownRange.peek()).map(({ title, range }) => ({ title, disabled: range === null, run: () => range && adjust({ preview: range }) })),
    'separator',
    { title: 'Only samples during markers like this', hint: `Leaves out samples outside of the markers ${name}`, run: () => onlySamplesDuring(nameSearch(part.name)) },
    { title: `Statistics of ${name}`, run: () => showStatisticsOf(part.name) },
    { title: `Next ${name}`, key: 'Alt+↓', run: () => void stepInName(1) },
    { title: `Previous ${name}`, key: 'Alt+↑', run: () => void stepInName(-1) },
    ...(view.peek().panel === 'marker-chart' ? [pinEntry(part.name)] : []),
    { title: 'Select its thread', run: () => selectThreads(`Thread ${threadName(part.thread)}`, [part.thread]) },
    'separator',
    copy('Copy label', () => part.label || part.name, 'the label'),
    ...(part.description ? [copy('Copy description', () => part.description ?? '', 'the description')] : []),
    ...(part.stack ? [copy('Copy call stack', () => stackText(part), 'the stack')] : []),
    ...(url ? [copy('Copy URL', () => url, 'the address')] : []),
    copy('Copy as JSON', () => markerJson(part, category, threadName(part.thread)), 'the marker'),
  ];
}

/** Selects the marker, too: entries of the menu are about what is selected. */
export async function openMarkerMenu(id: MarkerId, { clientX, clientY }: MouseEvent, onClose?: () => void): Promise<void> {
  const part = await loadMarker('marker', id);
  if (!part) return;
  adjust({ marker: { thread: part.thread, marker: part.marker } });
  showMenu(clientX, clientY, 'Marker', markerMenu(part), onClose);
}

export function markerCommands(): Command[] {
  const group = 'Markers', when = (): boolean => view.peek().marker !== null;
  const withSelected = (run: (id: MarkerId) => void) => (): void => {
    const { marker } = view.peek();
    if (marker) run(marker);
  };
  return [
    { group, title: 'Next marker of this name', keys: ['Alt+ArrowDown'], when, run: () => void stepInName(1) },
    { group, title: 'Previous marker of this name', keys: ['Alt+ArrowUp'], when, run: () => void stepInName(-1) },
    { group, title: 'Set the range to the marker', keys: ['r'], when, run: withSelected((id) => void showRangeOfId(id)) },
    { group, title: 'Copy the label of the marker', keys: ['Ctrl+c'], when: () => when() && String(getSelection()) === '', run: withSelected((id) => void copyLabel(id)) },
  ];
}

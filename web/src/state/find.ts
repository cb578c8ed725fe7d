// The matches of a search: how many there are, and one after the other.
import { effect, signal, untracked } from '@preact/signals';
import type { Ask, Part, Path } from '../transport/protocol.ts';
import { selectAndOpen } from './follow_place.ts';
import { adjust, announcement, ask, generation, opened, view } from './store.ts';
import { isInvertedPanel, isMarkerPanel, placeOf, queryState, samePath, type View } from './view.ts';

export interface Matches {
  readonly count: number;
  /** The place of the selected one among them, from 0 on; null where another row is selected. */
  readonly index: number | null;
}

export const matches = signal<Matches | null>(null);
/** Counts what was found and is selected now: panels scroll to it. */
export const found = signal(0);

/** Runs when something was found, until it is ended. */
export function onFound(run: () => void): () => void {
  let before = found.peek();
  return effect(() => {
    if (found.value === before) return;
    before = found.value;
    untracked(run);
  });
}

interface FindPart extends Part {
  readonly count: number;
  readonly index: number | null;
  readonly path: Path;
}

/** Which tree the panel shows, or the list of functions. */
export function findRequest(of: View): { readonly inverted: boolean; readonly request: Ask; readonly anchor: Path } {
  const inverted = isInvertedPanel(of);
  if (of.panel === 'functions') return { inverted: false, request: { ask: 'find', of: 'functions', sort: of.functionsSort, text: of.search }, anchor: of.func === null ? [] : [of.func] };
  const { open, selected } = placeOf(of, inverted);
  return { inverted, request: { ask: 'find', text: of.search, ...(inverted ? { open } : {}), ...(of.panel === 'tree' ? { siblings: of.treeOrder } : {}) }, anchor: selected ?? [] };
}

const QUIET_MS = 150;
let counted = '', timer = 0;

/** Counts them once somebody has stopped typing. */
export function followMatches(): () => void {
  return effect(() => {
    const { search, panel } = view.value;
    const key = search && opened.value && !isMarkerPanel(panel) && panel !== 'comparison' ? JSON.stringify([queryState(view.value, findRequest(view.value)), findRequest(view.value).request, generation.value]) : '';
    if (key === counted) return;
    counted = key;
    clearTimeout(timer);
    matches.value = null;
    if (key !== '') timer = window.setTimeout(() => void untracked(count), QUIET_MS);
  });
}

async function count(): Promise<void> {
  const key = counted, { inverted, request } = findRequest(view.peek());
  const reply = await ask('find', queryState(view.peek(), { inverted }), [request]);
  if (reply && key === counted) matches.value = { count: (reply.parts[0] as FindPart).count, index: null };
}

/** Selects the next or the previous one. */
export async function findNext(direction: 'next' | 'previous'): Promise<void> {
  const { inverted, request, anchor } = findRequest(view.peek()), of = queryState(view.peek(), { inverted });
  const reply = await ask('find', of, [{ ...request, direction, ...(anchor.length > 0 ? { anchor } : {}) }]);
  const part = reply?.parts[0] as FindPart | undefined;
  if (!part) return;
  matches.value = { count: part.count, index: part.count > 0 ? part.index : null };
  const last = part.path[part.path.length - 1];
  if (last === undefined) {
    announcement.value = 'No match';
    return;
  }
  const { panel, flame } = view.peek();
  if (panel === 'functions') adjust({ func: last });
  else selectAndOpen(part.path, inverted);
  if (panel === 'flame-graph' && flame.zoom && !samePath(flame.zoom, part.path.slice(0, flame.zoom.length))) adjust({ flame: { ...flame, zoom: null } });
  found.value++;
  announcement.value = `Match ${(part.index ?? 0) + 1} of ${part.count}`;
}

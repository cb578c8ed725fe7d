// The state of the page in signals, and the ways to change it. Back is undo: what a person does is one entry of the history.
import { batch, computed, signal } from '@preact/signals';
import type { Engine } from '../transport/engine.ts';
import type { Ask, Path, QueryState, Range, Reply } from '../transport/protocol.ts';
import { ApiError } from '../transport/protocol.ts';
import { followAsk } from './after_panel.ts';
import type { EngineEvent, FileEntry } from '../transport/transport.ts';
import type { Opened } from './opened.ts';
import type { Transform } from './transforms.ts';
import { committedRange, DEFAULT_VIEW, EMPTY_PLACE, PANELS, placeOf, withPlace, type Panel, type View } from './view.ts';

export const view = signal<View>(DEFAULT_VIEW);
export const opened = signal<Opened | null>(null);
export const files = signal<readonly FileEntry[]>([]);
export const file = signal<FileEntry | null>(null);
/** Symbols and live data make a new one. */
export const generation = signal(0);
/** What ends everything. */
export const fatal = signal<string | null>(null);
/** What went wrong with one request. */
export const failure = signal<string | null>(null);
/** What is wrong with a search that is being typed: the field says it. */
export const searchFault = signal<string | null>(null);
/** The last thing that happened, for screen readers. */
export const announcement = signal('');
export const symbolProgress = signal<Extract<EngineEvent, { event: 'symbols' }> | null>(null);
/** The time under the pointer, over tracks and charts. */
export const hoveredTime = signal<number | null>(null);

/** Those that there is something for. */
export const panels = computed<readonly Panel[]>(() => PANELS.filter((panel) => panel !== 'comparison' || (opened.value?.base ?? null) !== null));

export const wholeRange = computed<Range>(() => opened.value?.range ?? [0, 1]);
export const committed = computed<Range>(() => committedRange(view.value, wholeRange.value));
/** What panels show: the preview where there is one. */
export const shownRange = computed<Range>(() => view.value.preview ?? committed.value);

let engine: Engine | undefined;
export function setEngine(to: Engine): void {
  engine = to;
}
export const theEngine = (): Engine => {
  if (!engine) throw new Error('no engine');
  return engine;
};

const SEARCH_FIELD = /^(state\.(marker_)?search|asks\[\d+\]\.highlight): /;

/** Asks; what goes wrong is shown, and the answer is undefined, as where a newer request took this one's place. */
export async function ask(lane: string, state: QueryState, asks: readonly Ask[]): Promise<Reply | undefined> {
  try {
    const reply = await followAsk(lane, theEngine().ask(lane, state, asks));
    if (reply) failure.value = searchFault.value = null;
    return reply;
  } catch (error) {
    const { message, code } = error instanceof ApiError ? error : { message: String(error), code: 'broken' };
    if (code === 'gone') fatal.value = message;
    else if (code === 'invalid' && SEARCH_FIELD.test(message)) searchFault.value = message.replace(SEARCH_FIELD, '');
    else failure.value = message;
    return undefined;
  }
}

// ---- changing the view ----

type Change = Partial<View>;
type Listener = (how: 'push' | 'replace', before: View) => void;
let listener: Listener = () => {};
export function onChange(to: Listener): void {
  listener = to;
}

/** What a person did: an entry of the history. `title` says it in words. */
export function change(title: string, to: Change): void {
  const before = view.value;
  view.value = { ...before, ...to };
  announcement.value = title;
  listener('push', before);
}

/** What changes all the time, or follows from something else: no entry of its own. */
export function adjust(to: Change): void {
  const before = view.value;
  view.value = { ...before, ...to };
  listener('replace', before);
}

/** Something that came from the history, or from an address. */
export function restore(to: View): void {
  batch(() => {
    view.value = to;
  });
}

// ---- what many parts do ----

/** Selects a node of the tree that is shown; null clears the selection. */
export function select(path: Path | null, inverted = false): void {
  const place = placeOf(view.value, inverted);
  adjust(withPlace(inverted, { ...place, selected: path, since: view.value.transforms.length }));
}

export function selectThreads(title: string, threads: readonly number[]): void {
  change(title, { threads });
}

/** `also`: what changes with it. */
export function addTransform(title: string, transform: Transform, also: Change = {}): void {
  const { transforms, flame } = view.value;
  change(title, { ...also, transforms: [...transforms, transform], flame: { ...flame, zoom: null } });
}

/** What is open was a state's with all of them: it stays as far as it is still there. */
export function removeTransform(title: string, index: number, count = 1): void {
  const { transforms, tree, invertedTree, flame } = view.value;
  const left = transforms.filter((_, i) => i < index || i >= index + count);
  change(title, {
    transforms: left,
    tree: { ...tree, since: left.length },
    invertedTree: { ...invertedTree, since: left.length },
    flame: { ...flame, zoom: null },
  });
}

/** Puts a transform elsewhere among the others. */
export function moveTransform(from: number, to: number): void {
  const { transforms, tree, invertedTree, flame } = view.value, moved = transforms[from];
  if (!moved || to === from || to < 0 || to >= transforms.length) return;
  const others = transforms.filter((_, i) => i !== from), order = [...others.slice(0, to), moved, ...others.slice(to)];
  change('Transform moved', { transforms: order, tree: { ...tree, since: order.length }, invertedTree: { ...invertedTree, since: order.length }, flame: { ...flame, zoom: null } });
}

export function commitPreview(): void {
  const { preview, ranges } = view.value;
  if (preview) change('Range committed', { ranges: [...ranges, preview], preview: null });
}

/** Back to the first so many of the committed ranges. */
export function popRanges(to: number): void {
  const { ranges } = view.value;
  if (ranges.length > to) change(to === 0 ? 'Full range' : 'Larger range', { ranges: ranges.slice(0, to), preview: null });
}

export const clearFilters: Change = { search: '', transforms: [], implementation: 'combined', idle: true, tree: EMPTY_PLACE, invertedTree: EMPTY_PLACE };

// The address follows the view, and the view the history: Back is undo, a reload and a link show the same.
import { afterPanel } from './after_panel.ts';
import { ask, failure, file, generation, onChange, opened, restore, view } from './store.ts';
import { batch } from '@preact/signals';
import { carryView } from './carry.ts';
import { funcsIn, keysIn, parseAddress, readAddress, writeAddress, type Address } from './address.ts';
import { forgetNames, rememberName } from './names.ts';
import type { Columns, Part } from '../transport/protocol.ts';
import type { View } from './view.ts';

interface KeysPart extends Part {
  readonly keys: readonly string[];
}
interface FuncsPart extends Part {
  readonly funcs: readonly (number | null)[];
  readonly columns: Columns<'name'>;
}

let keys = new Map<number, string>();
let keysOf = -1;

/** Keys are made of names: symbols make others. */
async function learnKeys(of: View): Promise<void> {
  if (keysOf !== generation.peek()) keys = new Map();
  keysOf = generation.peek();
  const missing = funcsIn(of).filter((func) => !keys.has(func));
  if (missing.length === 0) return;
  const reply = await ask('keys', {}, [{ ask: 'keys', funcs: missing }]);
  (reply?.parts[0] as KeysPart | undefined)?.keys.forEach((key, i) => keys.set(missing[i]!, key));
}

const WAIT_MS = 120;
let writing = 0;

/** Of the history: functions in the view have the numbers of that generation. */
interface Entry {
  readonly view: View;
  readonly generation: number;
  /** Of which profile: addresses of others have the same history. */
  readonly profile: string;
  /** How many entries of this page are before it. */
  readonly at: number;
}

const profileNow = (): string => {
  const { id, name, bytes, modified } = file.peek() ?? {};
  return [id, name, bytes, modified].join();
};
const isEntry = (state: unknown): state is Entry => typeof (state as Entry | null)?.at === 'number';
const placeNow = (): number => (isEntry(history.state) ? history.state.at : 0);

const entryOf = (shown: View, at = placeNow()): Entry => ({ view: shown, generation: generation.peek(), profile: profileNow(), at });

/** The view that a reload has left behind: with what is open, which is not in the address. */
export const viewOfReload = (of: number): View | null =>
  isEntry(history.state) && history.state.generation === of && history.state.profile === profileNow() ? history.state.view : null;

/** Entries that are still to be written, each from one view to the next: browsers take milliseconds for one, and the picture is waited for. */
let unwritten: { readonly before: View; readonly after: View }[] = [];

function writeEntries(): void {
  for (const { before, after } of unwritten) {
    history.replaceState(entryOf(before), ''); // its address may not be written yet
    history.pushState(entryOf(after, placeNow() + 1), '');
  }
  unwritten = [];
}

/** Back is undo, but only through what was done on this page. */
export function undo(): void {
  writeEntries();
  if (placeNow() > 0) history.back();
}

export function redo(): void {
  writeEntries();
  history.forward();
}

/** Another profile is an entry, too. */
export function writeOpened(address: string): void {
  writeEntries();
  history.pushState(entryOf(view.peek(), placeNow() + 1), '', address);
}

/** The entry is there after the next picture, its address a little later, since browsers refuse too many changes of it. */
function write(before: View | null): void {
  if (before) {
    if (unwritten.length === 0) afterPanel('history', writeEntries);
    unwritten.push({ before, after: view.peek() });
  }
  clearTimeout(writing);
  writing = window.setTimeout(() => void writeNow(), WAIT_MS);
}

const addressOf = (shown: View, of: number): string => writeAddress(shown, of, { keyOf: (func) => keys.get(func), funcOf: () => undefined });

async function writeNow(): Promise<void> {
  writeEntries();
  const shown = view.peek();
  await learnKeys(shown);
  if (shown !== view.peek()) return;
  history.replaceState(entryOf(shown), '', addressOf(shown, file.peek()?.id ?? 0));
}

/** What is shown, as the address of a page that has this profile alone. */
export async function addressOfNow(): Promise<string> {
  const shown = view.peek();
  await learnKeys(shown);
  return addressOf(shown, 0);
}

/** For a profile of the selected threads and the range alone, whose threads have other numbers. */
export async function addressOfPart(): Promise<string> {
  const shown = view.peek();
  await learnKeys(shown);
  return addressOf({ ...shown, threads: [], ranges: [], preview: null, marker: null, bottom: null, shownTracks: [], hiddenTracks: [], trackOrder: [], pinnedTracks: [], foldedTracks: [] }, 0);
}

/** An entry of an earlier generation is carried to that of now. */
async function goBack({ view: then, generation: from }: Entry): Promise<void> {
  if (from === generation.peek()) return restore(then);
  try {
    const carried = await carryView('history', then, from);
    if (carried?.generation === generation.peek()) restore({ ...then, ...carried.numbered });
    else await goToAddress();
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}

export function followHistory(): void {
  onChange((how, before) => write(how === 'push' ? before : null));
  addEventListener('pagehide', writeEntries);
  addEventListener('popstate', ({ state }) => {
    unwritten = []; // somebody was faster
    if (isEntry(state)) void goBack(state);
    else void goToAddress(); // which somebody has pasted
  });
  write(null);
}

/** Shows what the address says, by the names that it has: numbers of functions are of no use any more. */
export async function goToAddress(): Promise<void> {
  const reply = await ask('carry', { generation: undefined }, [{ ask: 'open' }]);
  if (!reply) return;
  forgetNames();
  const shown = await viewOfAddress(parseAddress(location.hash));
  batch(() => {
    generation.value = reply.generation;
    restore(shown);
  });
}

/** The view of an address; what it names and the profile has not is left out. */
export async function viewOfAddress(address: Address): Promise<View> {
  const wanted = keysIn(address);
  const found = new Map<string, number>();
  if (wanted.length > 0) {
    const reply = await ask('keys', { generation: undefined }, [{ ask: 'funcs', keys: wanted }]);
    const part = reply?.parts[0] as FuncsPart | undefined;
    part?.funcs.forEach((func, i) => {
      if (func === null) return;
      found.set(wanted[i]!, func);
      rememberName(func, part.columns.name[i]);
    });
  }
  const read = readAddress(address, { keyOf: () => undefined, funcOf: (key) => found.get(key) });
  const threads = read.threads.filter((thread) => thread < (opened.peek()?.threads.length ?? 0));
  return { ...read, threads };
}

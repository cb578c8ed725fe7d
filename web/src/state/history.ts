// The address follows the view, and the view the history: Back is undo, a reload and a link show the same.
import { ask, file, generation, onChange, opened, restore, view } from './store.ts';
import { funcsIn, keysIn, readAddress, writeAddress, type Address } from './address.ts';
import { rememberName } from './names.ts';
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

/** The entry is there at once, its address a little later, since browsers refuse too many changes of it. */
function write(pushed: boolean): void {
  const shown = view.peek();
  if (pushed) history.pushState({ view: shown }, '');
  clearTimeout(writing);
  writing = window.setTimeout(() => void writeNow(), WAIT_MS);
}

async function writeNow(): Promise<void> {
  const shown = view.peek();
  await learnKeys(shown);
  if (shown !== view.peek()) return;
  history.replaceState({ view: shown }, '', writeAddress(shown, file.peek()?.id ?? 0, { keyOf: (func) => keys.get(func), funcOf: () => undefined }));
}

export function followHistory(): void {
  onChange((_, how) => write(how === 'push'));
  addEventListener('popstate', ({ state }) => {
    if (state?.view) restore(state.view as View);
  });
  write(false);
}

/** The view of an address; what it names and the profile has not is left out. */
export async function viewOfAddress(address: Address): Promise<View> {
  const wanted = keysIn(address);
  const found = new Map<string, number>();
  if (wanted.length > 0) {
    const reply = await ask('keys', {}, [{ ask: 'funcs', keys: wanted }]);
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

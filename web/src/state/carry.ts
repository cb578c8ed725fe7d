// Symbols that arrive make another generation of the profile, with other numbers of functions. The view goes on to it, with what
// is selected, open and transformed: the engine says what all of that has become. Panels ask again when `generation` changes.
import { batch } from '@preact/signals';
import { adjust, failure, generation, theEngine, view } from './store.ts';
import { funcsIn } from './address.ts';
import { forgetNames, rememberName } from './names.ts';
import { parseTransform } from './transforms.ts';
import { placeOf, queryState, type TreePlace, type View } from './view.ts';
import { ApiError, type Ask, type Columns, type Part, type Path, type Walk } from '../transport/protocol.ts';

/** What one ask has become. */
interface Carried {
  readonly path?: Path;
  readonly anchor?: Path;
  readonly open?: Walk;
  readonly func?: number;
}

type Numbered = Pick<View, 'transforms' | 'tree' | 'invertedTree' | 'flame' | 'func' | 'bottom'>;

export interface CarriedView {
  readonly generation: number;
  readonly numbered: Numbered;
}

/** An ask that brings the numbers, and what takes them into the view. */
interface Carrier {
  readonly ask: Ask;
  readonly take: (to: Numbered, carried: Carried) => Numbered;
}

const takePlace = (place: TreePlace, { open, anchor }: Carried): TreePlace => ({ ...place, open: open ?? place.open, selected: place.selected && (anchor ?? place.selected) });

function carriersOf(of: View, inverted: boolean): Carrier[] {
  const { open, selected } = placeOf(of, inverted), { flame, func, bottom } = of;
  const place = inverted ? 'invertedTree' : 'tree';
  const carriers: Carrier[] = [];
  // Top-down there is always one, for the transforms.
  if (!inverted || selected || open.length > 0)
    carriers.push({ ask: { ask: 'rows', open, after: 0, ...(selected ? { anchor: selected } : {}) }, take: (to, carried) => ({ ...to, [place]: takePlace(to[place], carried) }) });
  if (flame.zoom && flame.inverted === inverted) carriers.push({ ask: { ask: 'node', path: flame.zoom }, take: (to, { path }) => ({ ...to, flame: { ...to.flame, zoom: path ?? to.flame.zoom } }) });
  if (inverted) return carriers;
  if (func !== null) carriers.push({ ask: { ask: 'lines', func }, take: (to, carried) => ({ ...to, func: carried.func ?? to.func }) });
  if (bottom) carriers.push({ ask: { ask: 'lines', func: bottom.func }, take: (to, carried) => ({ ...to, bottom: to.bottom && { ...to.bottom, func: carried.func ?? to.bottom.func } }) });
  if (bottom?.path) carriers.push({ ask: { ask: 'node', path: bottom.path }, take: (to, { path }) => ({ ...to, bottom: to.bottom && { ...to.bottom, path: path ?? to.bottom.path } }) });
  return carriers;
}

const numberedOf = ({ transforms, tree, invertedTree, flame, func, bottom }: View): Numbered => ({ transforms, tree, invertedTree, flame, func, bottom });
const isSame = (a: Numbered, b: Numbered): boolean => (Object.keys(a) as (keyof Numbered)[]).every((key) => a[key] === b[key]);

/** The view of a generation, in that of now. Undefined where that generation is too long ago. */
export async function carryView(lane: string, of: View, from: number): Promise<CarriedView | undefined> {
  const engine = theEngine();
  for (;;) {
    let numbered = numberedOf(of), reached: number | undefined, isTorn = false;
    for (const inverted of [false, true]) {
      const carriers = carriersOf(of, inverted);
      if (carriers.length === 0) continue;
      const state = { ...queryState(of, { inverted }), generation: from };
      let reply;
      try {
        reply = await engine.ask(lane, state, carriers.map(({ ask }) => ask));
      } catch (error) {
        if (error instanceof ApiError && error.code === 'stale') return undefined;
        throw error;
      }
      if (!reply) return undefined;
      isTorn ||= reached !== undefined && reached !== reply.generation;
      reached = reply.generation;
      if (!inverted && reply.state?.transforms) numbered = { ...numbered, transforms: reply.state.transforms.flatMap((text) => parseTransform(text) ?? []) };
      reply.parts.forEach((part, i) => {
        const { carried } = part as Part & { readonly carried?: Carried };
        if (carried) numbered = carriers[i]!.take(numbered, carried);
      });
    }
    if (reached !== undefined && !isTorn) return { generation: reached, numbered };
  }
}

/** Names of functions that the view is about: those on the screen come with what is shown. */
async function learnNames(of: View, now: number): Promise<readonly [number, number][]> {
  const funcs = funcsIn(of), state = { generation: now };
  if (funcs.length === 0) return [];
  const keys = (await theEngine().ask('names', state, [{ ask: 'keys', funcs }]))?.parts[0] as (Part & { readonly keys: readonly string[] }) | undefined;
  if (!keys) return [];
  const named = (await theEngine().ask('names', state, [{ ask: 'funcs', keys: keys.keys }]))?.parts[0] as (Part & { readonly columns: Columns<'name'> }) | undefined;
  return named ? funcs.map((func, i) => [func, named.columns.name[i]!] as const) : [];
}

async function carryOnce(onStale: () => Promise<void>): Promise<void> {
  const from = view.peek(), carried = await carryView('carry', from, generation.peek());
  if (!carried) return onStale();
  const names = await learnNames({ ...from, ...carried.numbered }, carried.generation);
  // Whoever did something meanwhile did it with the old numbers.
  if (!isSame(numberedOf(from), numberedOf(view.peek()))) return carryOnce(onStale);
  batch(() => {
    forgetNames();
    for (const [func, name] of names) rememberName(func, name);
    generation.value = carried.generation;
    adjust(carried.numbered);
  });
}

let carrying: Promise<void> | undefined;

/** Goes on to the generation of now; `onStale` is for a view that is of one too long ago. */
export function carryOn(onStale: () => Promise<void>): void {
  carrying ??= carryOnce(onStale)
    .catch((error) => void (failure.value = error instanceof Error ? error.message : String(error)))
    .finally(() => (carrying = undefined));
}

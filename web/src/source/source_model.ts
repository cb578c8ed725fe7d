// What the box at the bottom shows: the text of a file with the samples of its lines, and the instructions of a function. The
// text is asked for when another function is opened; what filters samples changes only the numbers beside it.
import { signal, untracked } from '@preact/signals';
import type { WeightType } from '../format/numbers.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { queryState, samePath, type BottomBox } from '../state/view.ts';
import type { Columns, Part, QueryState } from '../transport/protocol.ts';

export interface LinesPart extends Part {
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly columns: Columns<'line' | 'total' | 'self'>;
}

export interface SourcePart extends LinesPart {
  /** As the profile names it. */
  readonly file: string | null;
  readonly text: string | null;
  readonly first_line: number;
  readonly cut: boolean;
  readonly origin: 'profile' | 'disk' | 'debuginfod' | 'embedded' | null;
  readonly found: string | null;
  readonly newer: boolean;
  readonly checksum: 'unknown' | 'matches' | 'differs';
  readonly tried: readonly { readonly where: string; readonly why: string }[];
  readonly hottest: number | null;
}

export interface CodeSymbol {
  readonly name: string;
  readonly library: string;
  readonly address: number;
  readonly size: number | null;
  readonly total: number;
  readonly self: number;
}

export interface InstructionsPart extends Part {
  readonly symbols: readonly CodeSymbol[];
  readonly symbol: number | null;
  readonly without_symbol: number;
  readonly arch: string | null;
  readonly cut: boolean;
  readonly failed: string | null;
  readonly weight_type: WeightType;
  readonly root_total: number;
  readonly hottest: number | null;
  readonly texts: readonly string[];
  readonly files: readonly string[];
  readonly functions: readonly string[];
  readonly columns: Columns<'address' | 'size' | 'total' | 'self' | 'line' | 'file' | 'function' | 'target'>;
}

/** A text, and the line to be seen first: another one only where somebody opened something. */
export interface ShownSource {
  readonly part: SourcePart;
  readonly goTo: number | null;
}

export const source = signal<ShownSource | null>(null);
export const lines = signal<LinesPart | null>(null);
export const instructions = signal<InstructionsPart | null>(null);
/** The symbol that somebody chose among those of the function. Their order is by samples: it changes with what is seen. */
export const chosenSymbol = signal<Pick<CodeSymbol, 'library' | 'address'> | null>(null);

/** The line of the source, or the row of instructions, that the pointer is on. */
export const hoveredLine = signal<number | null>(null);
export const hoveredInstruction = signal<number | null>(null);

let wantedLine: number | null = null;

/** Where the source goes that is opened next, or is open already. */
export function goToLine(func: number, line: number): void {
  const { bottom } = view.peek(), shown = source.peek();
  if (bottom?.func === func && shown) source.value = { ...shown, goTo: line };
  else wantedLine = line;
}

interface Asked {
  readonly box: BottomBox;
  readonly generation: number;
  readonly state: string;
}

let asked: Asked | null = null;

async function loadSource({ func, path }: BottomBox, state: QueryState, isNew: boolean): Promise<void> {
  const reply = await ask('source', state, [{ ask: 'source', func, ...(path ? { path } : {}) }]);
  const part = reply?.parts[0] as SourcePart | undefined;
  if (!part) return;
  const old = source.peek();
  const isSame = !isNew && old !== null && old.part.file === part.file && old.part.text === part.text;
  source.value = isSame ? { ...old, part } : { part, goTo: wantedLine ?? part.hottest };
  wantedLine = null;
  lines.value = part;
}

async function loadLines(file: string, state: QueryState): Promise<void> {
  const reply = await ask('lines', state, [{ ask: 'lines', file }]);
  if (reply && source.peek()?.part.file === file) lines.value = reply.parts[0] as LinesPart;
}

const isSameBox = (a: BottomBox, b: BottomBox): boolean => a.func === b.func && samePath(a.path, b.path);

/** To be run as an effect. */
export function followSource(): void {
  const { bottom } = view.value, now = generation.value;
  if (!bottom || !opened.value) {
    asked = source.value = lines.value = instructions.value = null;
    return;
  }
  const state = queryState(view.value), before = asked;
  asked = { box: bottom, generation: now, state: JSON.stringify(state) };
  const isNewGeneration = before !== null && before.generation !== now;
  if (!before || isNewGeneration || !isSameBox(before.box, bottom)) {
    // A function that is carried into the next generation is the same one to whoever reads its source.
    if (!isNewGeneration) chosenSymbol.value = null;
    void untracked(() => loadSource(bottom, state, !isNewGeneration));
  } else if (before.state !== asked.state) {
    const file = source.peek()?.part.file ?? null;
    void untracked(() => (file === null ? loadSource(bottom, state, false) : loadLines(file, state)));
  }
}

async function loadInstructions(func: number, state: QueryState, chosen: typeof chosenSymbol.value): Promise<void> {
  const load = async (symbol: number): Promise<InstructionsPart | undefined> =>
    (await ask('instructions', state, [{ ask: 'instructions', func, ...(symbol > 0 ? { symbol } : {}) }]))?.parts[0] as InstructionsPart | undefined;
  const usual = await load(0);
  const place = usual?.symbols.findIndex(({ library, address }) => library === chosen?.library && address === chosen.address) ?? -1;
  const part = place > 0 ? await load(place) : usual;
  if (part) instructions.value = part;
}

/** To be run as an effect of the listing: it is asked for only while it is seen. */
export function followInstructions(): void {
  const { bottom } = view.value, chosen = chosenSymbol.value, state = queryState(view.value);
  void generation.value;
  if (bottom?.assembly && opened.value) void untracked(() => loadInstructions(bottom.func, state, chosen));
  else instructions.value = null;
}

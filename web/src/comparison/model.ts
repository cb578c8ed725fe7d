// What is compared now, as far as the panel shows it; and which function or node of it is chosen.
import { computed, signal, untracked } from '@preact/signals';
import { callNodeMenu, type ChosenNode } from '../panels/call_node.ts';
import { copyText } from '../state/clipboard.ts';
import { rememberNameText } from '../state/names.ts';
import { ask, change, file, generation, opened, view } from '../state/store.ts';
import { comparisonState, type ComparisonView } from '../state/view.ts';
import { NO_CATEGORY } from '../transport/protocol.ts';
import { visible } from '../transport/texts.ts';
import type { MenuEntry } from '../widgets/menu.tsx';
import { boxRows, closedAtFirst, shownRows, sortedFunctions, type ComparedFunctions, type ComparedTree, type ComparePart } from './part.ts';

/** So many functions, or nodes of the tree, are asked for: the largest. */
const MOST = 10_000;

export const functions = signal<ComparedFunctions | null>(null);
export const tree = signal<ComparedTree | null>(null);
/** Rows of the tree below which nothing is shown. */
export const closed = signal<ReadonlySet<number>>(new Set());
/** A row of what is shown. */
export const chosen = signal<number | null>(null);
/** Of the flame graph: as wide as all. */
export const zoomed = signal<number | null>(null);

/** What the panel shows. */
export const part = computed<ComparePart | null>(() => (view.value.comparison.as === 'functions' ? functions.value : tree.value));

/** Its rows, from the top. */
export const rows = computed<readonly number[]>(() => {
  const { as, sort, onlyChanged } = view.value.comparison;
  if (as === 'functions') return functions.value ? sortedFunctions(functions.value, sort, onlyChanged) : [];
  return tree.value ? shownRows(tree.value, closed.value, onlyChanged) : [];
});

export const boxes = computed(() => (tree.value ? boxRows(tree.value) : []));

let asked = '';

/** What is kept from one answer to the next: the function, and for a tree the names on the way to it. */
function chosenKey(): string | null {
  const now = part.peek(), row = chosen.peek();
  return now && row !== null ? keyOf(now, row) : null;
}

const keyOf = ({ names, libraries, columns: { place } }: ComparePart, row: number): string => `${names[place[row]!]}\n${libraries[place[row]!]}`;

function choose(now: ComparePart, key: string | null): void {
  let found: number | null = null;
  for (let row = 0; key !== null && row < now.columns.place.length && found === null; row++) if (keyOf(now, row) === key) found = row;
  chosen.value = found;
}

/** To be run in an effect: asks where what is compared has changed. */
export function follow(): void {
  const { comparison: { as, shares } } = view.value, state = comparisonState(view.value), of = as === 'functions' ? 'functions' : 'tree';
  const key = JSON.stringify([file.value?.id, state, of, shares, generation.value]);
  if (!opened.value || key === asked) return;
  asked = key;
  void untracked(() => load(key, of, shares));
}

async function load(key: string, of: 'functions' | 'tree', shares: boolean): Promise<void> {
  const before = chosenKey();
  const reply = await ask('comparison', comparisonState(view.peek()), [{ ask: 'compare', of, per: shares ? 'share' : 'run', after: MOST }]);
  const answer = reply?.parts[0] as ComparePart | undefined;
  if (!answer || key !== asked) return;
  const found: ComparePart = { ...answer, names: answer.names.map(visible), libraries: answer.libraries.map(visible), files: answer.files.map(visible) };
  found.funcs.forEach((func, i) => func !== null && rememberNameText(func, found.names[i]!));
  if (of === 'functions') functions.value = found as ComparedFunctions;
  else {
    tree.value = found as ComparedTree;
    closed.value = closedAtFirst(tree.value);
    zoomed.value = null;
  }
  choose(found, before);
}

// ---- what can be done ----

export const show = (title: string, to: Partial<ComparisonView>): void => {
  const { comparison } = view.peek();
  if (to.as !== undefined && to.as !== comparison.as) chosen.value = zoomed.value = null;
  change(title, { comparison: { ...comparison, ...to } });
};

/** The function of a row, for what can be done with functions; null where it is gone from the profile that is open. */
export function nodeOf(row: number | null): ChosenNode | null {
  const now = part.peek(), place = now && row !== null ? now.columns.place[row] : undefined;
  const func = place === undefined ? null : now!.funcs[place]!;
  if (func === null) return null;
  return { path: [], func, name: now!.names[place!]!, library: now!.libraries[place!]!, file: now!.files[place!]!, category: NO_CATEGORY, inverted: false };
}

export function menuOf(row: number): MenuEntry[] {
  const node = nodeOf(row), now = part.peek();
  if (node) return callNodeMenu(node);
  return now ? [{ title: 'Copy function name', run: () => void copyText(now.names[now.columns.place[row]!]!, 'the name') }] : [];
}

export function toggle(row: number): void {
  const now = new Set(closed.peek());
  if (!now.delete(row)) now.add(row);
  closed.value = now;
}

// What is looked at: all of it stands in the address, and in the entries of the history.
import type { Implementation, Path, QueryState, Range, Walk } from '../transport/protocol.ts';
import { transformText, type Transform } from './transforms.ts';

export const PANELS = ['tree', 'functions', 'flame-graph', 'stack-chart', 'marker-chart', 'marker-table', 'comparison'] as const;
export type Panel = (typeof PANELS)[number];
export const isMarkerPanel = (panel: Panel): boolean => panel === 'marker-chart' || panel === 'marker-table';

/** Whether the tree of the panel starts with the functions that samples ended in. */
export const isInvertedPanel = ({ panel, inverted, flame }: View): boolean => (panel === 'flame-graph' ? flame.inverted : panel === 'tree' && inverted);

/** What is open and selected in a tree. Both are paths of a state with so many of its transforms: later ones move them. */
export interface TreePlace {
  readonly open: Walk;
  readonly selected: Path | null;
  readonly since: number;
}

export interface FlameView {
  readonly inverted: boolean;
  readonly order: 'name' | 'weight' | 'time';
  /** Where the root is drawn; null: where it is usual. */
  readonly rootOnTop: boolean | null;
  readonly zoom: Path | null;
}

/** The box at the bottom: source and assembly of a function. */
export interface BottomBox {
  readonly func: number;
  readonly path: Path | null;
  readonly assembly: boolean;
  readonly full: boolean;
}

/** A marker has its number in its thread. */
export interface MarkerId {
  readonly thread: number;
  readonly marker: number;
}

export const TREE_ORDERS = ['total', 'self', 'name', 'library'] as const;
export type TreeOrder = (typeof TREE_ORDERS)[number];

export const FUNCTION_SORTS = ['self', 'total', 'name', 'library'] as const;
export type FunctionsSort = (typeof FUNCTION_SORTS)[number];
export const FUNCTION_GROUPS = ['none', 'library', 'file', 'category', 'class'] as const;
export type FunctionsGroup = (typeof FUNCTION_GROUPS)[number];

/** What of two recordings side by side is shown, and how. */
export interface ComparisonView {
  readonly as: 'functions' | 'tree' | 'flame';
  /** Sums are parts of the whole. */
  readonly shares: boolean;
  /** What may be chance is left out. */
  readonly onlyChanged: boolean;
  readonly sort: 'self' | 'total' | 'name' | 'p';
}

export interface View {
  readonly panel: Panel;
  readonly threads: readonly number[];
  /** The committed ranges; each lies in the one before. */
  readonly ranges: readonly Range[];
  readonly preview: Range | null;
  readonly transforms: readonly Transform[];
  readonly implementation: Implementation;
  readonly search: string;
  /** The search marks what matches, and leaves nothing out. */
  readonly highlightOnly: boolean;
  readonly markerSearch: string;
  readonly inverted: boolean;
  readonly idle: boolean;
  readonly strategy: string;
  readonly tree: TreePlace;
  /** Of rows side by side in the tree. */
  readonly treeOrder: TreeOrder;
  readonly invertedTree: TreePlace;
  readonly functionsSort: FunctionsSort;
  /** What the list has in place of functions, which are below it. */
  readonly functionsGroup: FunctionsGroup;
  readonly func: number | null;
  readonly flame: FlameView;
  readonly sameWidths: boolean;
  readonly comparison: ComparisonView;
  readonly marker: MarkerId | null;
  /** Columns, the first counts most; `-` before one that goes down. */
  readonly markerSort: readonly string[];
  /** In the marker chart: names that are above all others, and categories of which only the head is shown. */
  readonly pinnedMarkers: readonly string[];
  readonly foldedMarkers: readonly string[];
  readonly bottom: BottomBox | null;
  /** Tracks that are not as the profile shows them at first: `t12`, `c3`, `p4711`. */
  readonly shownTracks: readonly string[];
  readonly hiddenTracks: readonly string[];
  readonly trackOrder: readonly string[];
  /** They stay on top while the others scroll. */
  readonly pinnedTracks: readonly string[];
  /** Processes that are one row, with the sum of their threads. */
  readonly foldedTracks: readonly string[];
  readonly name: string | null;
}

export const EMPTY_PLACE: TreePlace = { open: [], selected: null, since: 0 };

export const DEFAULT_VIEW: View = {
  panel: 'tree',
  threads: [],
  ranges: [],
  preview: null,
  transforms: [],
  implementation: 'combined',
  search: '',
  highlightOnly: false,
  markerSearch: '',
  inverted: false,
  idle: true,
  strategy: 'timing',
  tree: EMPTY_PLACE,
  treeOrder: 'total',
  invertedTree: EMPTY_PLACE,
  functionsSort: 'self',
  functionsGroup: 'none',
  func: null,
  flame: { inverted: false, order: 'name', rootOnTop: null, zoom: null },
  sameWidths: false,
  comparison: { as: 'functions', shares: false, onlyChanged: false, sort: 'self' },
  marker: null,
  markerSort: ['start'],
  pinnedMarkers: [],
  foldedMarkers: [],
  bottom: null,
  shownTracks: [],
  hiddenTracks: [],
  trackOrder: [],
  pinnedTracks: [],
  foldedTracks: [],
  name: null,
};

export const committedRange = (view: View, whole: Range): Range => view.ranges[view.ranges.length - 1] ?? whole;

/** The state of requests about samples. `inverted` is that of the panel. */
export function queryState(view: View, { inverted = false, preview = true }: { inverted?: boolean; preview?: boolean } = {}): QueryState {
  return {
    ...(view.threads.length > 0 ? { threads: view.threads } : {}),
    range: view.ranges[view.ranges.length - 1] ?? null,
    preview: preview ? view.preview : null,
    transforms: view.transforms.map((transform) => transformText(transform)),
    implementation: view.implementation,
    search: view.highlightOnly ? '' : view.search,
    inverted,
    idle: view.idle,
    strategy: view.strategy,
  };
}

/** The state of comparisons: they are of whole recordings, and a search leaves out what does not match. */
export const comparisonState = (view: View): QueryState =>
  ({ ...queryState({ ...view, ranges: [], highlightOnly: false }, { inverted: view.comparison.as !== 'functions' && view.inverted, preview: false }) });

/** The state of requests about markers: what filters samples does not matter to them. */
export function markerState(view: View, { preview = true }: { preview?: boolean } = {}): QueryState {
  return {
    ...(view.threads.length > 0 ? { threads: view.threads } : {}),
    range: view.ranges[view.ranges.length - 1] ?? null,
    preview: preview ? view.preview : null,
    marker_search: view.markerSearch,
  };
}

export const sameMarker = (a: MarkerId | null, b: MarkerId | null): boolean => a === b || (a !== null && b !== null && a.thread === b.thread && a.marker === b.marker);

/** Two states that requests would say the same of. */
export const sameState = (a: QueryState, b: QueryState): boolean => JSON.stringify(a) === JSON.stringify(b);

export const placeOf = (view: View, inverted: boolean): TreePlace => (inverted ? view.invertedTree : view.tree);
export const withPlace = (inverted: boolean, place: TreePlace): Partial<View> => (inverted ? { invertedTree: place } : { tree: place });

export const lastOf = (path: Path | null): number | null => path?.[path.length - 1] ?? null;
export const samePath = (a: Path | null, b: Path | null): boolean =>
  a === b || (a !== null && b !== null && a.length === b.length && a.every((func, i) => func === b[i]));

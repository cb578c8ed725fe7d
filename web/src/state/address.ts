// The address: the view as text after `#`, only what differs from the default. It never reaches a server.
//
// Functions stand in it by keys that the engine makes of their names and libraries, so that an address stays right when symbols arrive, and for
// another recording of the same program. Keys come and go through `keys` and `funcs` of the query API.
import type { Path, Range, Walk } from '../transport/protocol.ts';
import { KINDS, type Transform, type TransformKind } from './transforms.ts';
import { DEFAULT_VIEW, FUNCTION_GROUPS, FUNCTION_SORTS, PANELS, TREE_ORDERS, type BottomBox, type ComparisonView, type FlameView, type MarkerId, type Panel, type TreePlace, type View } from './view.ts';

/** How functions are written, and read. */
export interface FuncKeys {
  readonly keyOf: (func: number) => string | undefined;
  readonly funcOf: (key: string) => number | undefined;
}

const KEY_LENGTH = 8;

const writePath = (path: Path, { keyOf }: FuncKeys): string => path.map((func) => keyOf(func) ?? '').join('');

function readPath(text: string, { funcOf }: FuncKeys): number[] {
  const path: number[] = [];
  for (let at = 0; at + KEY_LENGTH <= text.length; at += KEY_LENGTH) {
    const func = funcOf(text.slice(at, at + KEY_LENGTH));
    if (func === undefined) break;
    path.push(func);
  }
  return path;
}

const writeRange = ([start, end]: Range): string => `${start}_${end}`;

function readRange(text: string): Range | null {
  const [start, end] = text.split('_').map(Number);
  return Number.isFinite(start) && Number.isFinite(end) && start! < end! ? [start!, end!] : null;
}

function writeTransform({ kind, funcs, text, implementation, inverted }: Transform, keys: FuncKeys): string {
  const name = [kind, ...(implementation === 'combined' ? [] : [implementation]), ...(inverted ? ['inverted'] : [])].join('+');
  // A tilde stands between transforms.
  return `${name}:${text === undefined ? writePath(funcs, keys) : encodeURIComponent(text).replaceAll('~', '%7E')}`;
}

function readTransform(written: string, keys: FuncKeys): Transform | null {
  const colon = written.indexOf(':');
  const [kind, ...modifiers] = written.slice(0, Math.max(0, colon)).split('+') as [TransformKind, ...string[]];
  const facts = KINDS[kind];
  if (!facts) return null;
  const argument = written.slice(colon + 1);
  const base = { kind, implementation: modifiers.find((m) => m === 'js' || m === 'cpp') ?? ('combined' as const), inverted: modifiers.includes('inverted') };
  if (facts.of === 'text') return { ...base, funcs: [], text: decodeURIComponent(argument) };
  const funcs = readPath(argument, keys);
  return funcs.length * KEY_LENGTH === argument.length && funcs.length > 0 ? { ...base, funcs } : null;
}

const IMPLEMENTATIONS = ['combined', 'js', 'cpp'] as const;
const numbers = (text: string): number[] => text.split('.').filter(Boolean).map(Number).filter((n) => Number.isInteger(n) && n >= 0);

/** A walk that opens the rows above a path. */
const walkTo = (path: Path): Walk => path.slice(0, -1);

function flameText({ inverted, order, rootOnTop, zoom }: FlameView, keys: FuncKeys): string {
  return [inverted ? 'inverted' : '', order === 'name' ? '' : order, rootOnTop === null ? '' : rootOnTop ? 'top' : 'bottom', zoom ? `zoom-${writePath(zoom, keys)}` : ''].filter(Boolean).join('.');
}

function readFlame(text: string, keys: FuncKeys): FlameView {
  const words = text.split('.'), zoom = words.find((word) => word.startsWith('zoom-'));
  return {
    inverted: words.includes('inverted'),
    order: words.includes('weight') ? 'weight' : words.includes('time') ? 'time' : 'name',
    rootOnTop: words.includes('top') ? true : words.includes('bottom') ? false : null,
    zoom: zoom ? readPath(zoom.slice(5), keys) : null,
  };
}

const comparisonText = ({ as, shares, onlyChanged, sort }: ComparisonView): string =>
  [as === 'functions' ? '' : as, shares ? 'share' : '', onlyChanged ? 'changed' : '', sort === 'self' ? '' : `by-${sort}`].filter(Boolean).join('.');

function readComparison(text: string): ComparisonView {
  const words = text.split('.');
  return {
    as: words.includes('tree') ? 'tree' : words.includes('flame') ? 'flame' : 'functions',
    shares: words.includes('share'),
    onlyChanged: words.includes('changed'),
    sort: (['total', 'name', 'p'] as const).find((sort) => words.includes(`by-${sort}`)) ?? 'self',
  };
}

const placeText = ({ selected }: TreePlace, keys: FuncKeys): string => (selected ? writePath(selected, keys) : '');

function readPlace(text: string, keys: FuncKeys, transforms: number): TreePlace {
  const selected = readPath(text, keys);
  return { open: walkTo(selected), selected: selected.length > 0 ? selected : null, since: transforms };
}

const bottomText = ({ func, path, assembly, full }: BottomBox, keys: FuncKeys): string =>
  [writePath(path ?? [func], keys), path ? 'path' : '', assembly ? 'assembly' : '', full ? 'full' : ''].filter(Boolean).join('.');

function readBottom(text: string, keys: FuncKeys): BottomBox | null {
  const [keysText, ...words] = text.split('.'), path = readPath(keysText ?? '', keys), func = path[path.length - 1];
  return func === undefined ? null : { func, path: words.includes('path') ? path : null, assembly: words.includes('assembly'), full: words.includes('full') };
}

/** Names may have anything else in them. */
const BETWEEN_NAMES = '\u001f';

/** The functions whose keys an address of this view has. */
export function funcsIn({ transforms, tree, invertedTree, flame, func, bottom }: View): number[] {
  return [...new Set([...transforms.flatMap(({ funcs }) => funcs), ...(tree.selected ?? []), ...(invertedTree.selected ?? []), ...(flame.zoom ?? []), ...(func === null ? [] : [func]), ...(bottom ? (bottom.path ?? [bottom.func]) : [])])];
}

/** `file` is the number of the profile. */
export function writeAddress(view: View, file: number, keys: FuncKeys): string {
  const fields: [string, string][] = [];
  const put = (name: string, value: string): void => {
    if (value !== '') fields.push([name, value]);
  };
  put('file', file === 0 ? '' : String(file));
  put('t', view.threads.join('.'));
  put('range', view.ranges.map(writeRange).join('~'));
  put('preview', view.preview ? writeRange(view.preview) : '');
  put('transforms', view.transforms.map((transform) => writeTransform(transform, keys)).join('~'));
  put('implementation', view.implementation === 'combined' ? '' : view.implementation);
  put('search', view.search);
  put('highlight', view.highlightOnly ? '1' : '');
  put('markers', view.markerSearch);
  put('invert', view.inverted ? '1' : '');
  put('noidle', view.idle ? '' : '1');
  put('strategy', view.strategy === DEFAULT_VIEW.strategy ? '' : view.strategy);
  put('node', placeText(view.tree, keys));
  put('inode', placeText(view.invertedTree, keys));
  put('tsort', view.treeOrder === 'total' ? '' : view.treeOrder);
  put('sort', view.functionsSort === 'self' ? '' : view.functionsSort);
  put('group', view.functionsGroup === 'none' ? '' : view.functionsGroup);
  put('func', view.func === null ? '' : writePath([view.func], keys));
  put('flame', flameText(view.flame, keys));
  put('compare', comparisonText(view.comparison));
  put('widths', view.sameWidths ? 'same' : '');
  put('marker', view.marker ? `${view.marker.thread}.${view.marker.marker}` : '');
  put('msort', view.markerSort.join() === 'start' ? '' : view.markerSort.join('.'));
  put('mpin', view.pinnedMarkers.join(BETWEEN_NAMES));
  put('mfold', view.foldedMarkers.join(BETWEEN_NAMES));
  put('source', view.bottom ? bottomText(view.bottom, keys) : '');
  put('show', view.shownTracks.join('.'));
  put('hide', view.hiddenTracks.join('.'));
  put('order', view.trackOrder.join('.'));
  put('pin', view.pinnedTracks.join('.'));
  put('fold', view.foldedTracks.join('.'));
  put('name', view.name ?? '');
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2B', '+')}`).join('&');
  return `#/${view.panel}${query ? `?${query}` : ''}`;
}

export interface Address {
  readonly panel: Panel;
  readonly file: number;
  readonly fields: ReadonlyMap<string, string>;
}

/** What can be read of an address before any profile is there. */
export function parseAddress(hash: string): Address {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?') as [string, string?];
  const fields = new Map<string, string>();
  for (const field of query.split('&')) {
    const equals = field.indexOf('=');
    if (equals <= 0) continue;
    try {
      fields.set(field.slice(0, equals), decodeURIComponent(field.slice(equals + 1)));
    } catch {
      // not written by this page: as if it were not there
    }
  }
  const panel = PANELS.find((name) => name === path) ?? DEFAULT_VIEW.panel;
  return { panel, file: Number(fields.get('file') ?? 0) || 0, fields };
}

/** The keys that an address has, which the engine is to be asked for. */
export function keysIn({ fields }: Address): string[] {
  const keys = new Set<string>();
  const add = (text: string): void => {
    for (let at = 0; at + KEY_LENGTH <= text.length; at += KEY_LENGTH) keys.add(text.slice(at, at + KEY_LENGTH));
  };
  for (const written of (fields.get('transforms') ?? '').split('~')) {
    const [name = '', argument = ''] = [written.slice(0, written.indexOf(':')), written.slice(written.indexOf(':') + 1)];
    if (KINDS[name.split('+')[0] as TransformKind]?.of !== 'text') add(argument);
  }
  for (const name of ['node', 'inode', 'func']) add(fields.get(name) ?? '');
  add((fields.get('flame') ?? '').split('.').find((word) => word.startsWith('zoom-'))?.slice(5) ?? '');
  add((fields.get('source') ?? '').split('.')[0] ?? '');
  return [...keys];
}

export function readAddress({ panel, fields }: Address, keys: FuncKeys): View {
  const text = (name: string): string => fields.get(name) ?? '';
  const list = (name: string): string[] => text(name).split('.').filter(Boolean);
  const transforms = text('transforms').split('~').flatMap((written) => readTransform(written, keys) ?? []);
  const [thread, marker] = numbers(text('marker'));
  const func = readPath(text('func'), keys)[0];
  return {
    panel,
    threads: numbers(text('t')),
    ranges: text('range').split('~').flatMap((range) => {
      const read = readRange(range);
      return read ? [read] : [];
    }),
    preview: readRange(text('preview')),
    transforms,
    implementation: IMPLEMENTATIONS.find((name) => name === text('implementation')) ?? 'combined',
    search: text('search'),
    highlightOnly: text('highlight') === '1',
    markerSearch: text('markers'),
    inverted: text('invert') === '1',
    idle: text('noidle') !== '1',
    strategy: text('strategy') || DEFAULT_VIEW.strategy,
    tree: readPlace(text('node'), keys, transforms.length),
    invertedTree: readPlace(text('inode'), keys, transforms.length),
    treeOrder: TREE_ORDERS.find((name) => name === text('tsort')) ?? 'total',
    functionsSort: FUNCTION_SORTS.find((name) => name === text('sort')) ?? 'self',
    functionsGroup: FUNCTION_GROUPS.find((name) => name === text('group')) ?? 'none',
    func: func ?? null,
    flame: readFlame(text('flame'), keys),
    comparison: readComparison(text('compare')),
    sameWidths: text('widths') === 'same',
    marker: thread !== undefined && marker !== undefined ? ({ thread, marker } satisfies MarkerId) : null,
    markerSort: list('msort').length > 0 ? list('msort') : ['start'],
    pinnedMarkers: text('mpin').split(BETWEEN_NAMES).filter(Boolean),
    foldedMarkers: text('mfold').split(BETWEEN_NAMES).filter(Boolean),
    bottom: text('source') ? readBottom(text('source'), keys) : null,
    shownTracks: list('show'),
    hiddenTracks: list('hide'),
    trackOrder: list('order'),
    pinnedTracks: list('pin'),
    foldedTracks: list('fold'),
    name: text('name') || null,
  };
}

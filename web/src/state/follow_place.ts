// Panels other than the tree, where transforms were added: what is open and selected in the tree follows them, too.
import type { Ask, Part, Path, Walk } from '../transport/protocol.ts';
import { adjust, view } from './store.ts';
import type { Transform } from './transforms.ts';
import { placeOf, withPlace, type TreePlace, type View } from './view.ts';
import { openPath } from './walk.ts';

interface Moved {
  readonly from: { readonly path: Path; readonly since: number };
  readonly transforms: readonly Transform[];
}

/** Paths that transforms have moved, and what they were. */
const moved = new WeakMap<Path, Moved>();

export function rememberMoved(path: Path, { selected, since }: TreePlace, transforms: readonly Transform[]): void {
  if (selected) moved.set(path, { from: { path: selected, since }, transforms });
}

/** The selected node for requests. It stays the same while a path is moved, so that who has asked about the node need not ask again. */
export function selectedPath({ transforms }: View, { selected, since }: TreePlace): { readonly path?: Path; readonly since?: number } {
  if (!selected) return {};
  const before = moved.get(selected);
  return before?.transforms === transforms ? before.from : { path: selected, since: Math.min(since, transforms.length) };
}

/** What to ask for besides, where the place is that of a state with fewer transforms. */
export function placeAsks(of: View, inverted: boolean): Ask[] {
  const { open, selected, since } = placeOf(of, inverted);
  return since < of.transforms.length && (selected || open.length > 0) ? [{ ask: 'rows', open, since, after: 0, ...(selected ? { anchor: selected } : {}) }] : [];
}

export function settlePlace(part: Part | undefined, of: View, inverted: boolean): void {
  if (!part || view.peek().transforms !== of.transforms) return;
  const { open, path } = part as Part & { readonly open?: Walk; readonly path?: Path };
  const before = placeOf(of, inverted), selected = before.selected && path && path.length > 0 ? path : null;
  if (selected) rememberMoved(selected, before, of.transforms);
  adjust(withPlace(inverted, { open: open ?? [], selected, since: of.transforms.length }));
}

/** Selects a node that was chosen elsewhere than in the tree: its row will be seen there, too. */
export function selectAndOpen(path: Path | null, inverted: boolean): void {
  const { transforms } = view.peek(), place = placeOf(view.peek(), inverted);
  adjust(withPlace(inverted, { open: path ? openPath(place.open, path.slice(0, -1)) : place.open, selected: path, since: transforms.length }));
}

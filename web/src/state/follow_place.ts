// Panels other than the tree, where transforms were added: what is open and selected in the tree follows them, too.
import type { Ask, Part, Path, Walk } from '../transport/protocol.ts';
import { adjust, view } from './store.ts';
import { placeOf, withPlace, type View } from './view.ts';
import { openPath } from './walk.ts';

/** What to ask for besides, where the place is that of a state with fewer transforms. */
export function placeAsks(of: View, inverted: boolean): Ask[] {
  const { open, selected, since } = placeOf(of, inverted);
  return since < of.transforms.length && (selected || open.length > 0) ? [{ ask: 'rows', open, since, after: 0, ...(selected ? { anchor: selected } : {}) }] : [];
}

export function settlePlace(part: Part | undefined, of: View, inverted: boolean): void {
  if (!part || view.peek().transforms !== of.transforms) return;
  const { open, path } = part as Part & { readonly open?: Walk; readonly path?: Path };
  const { selected } = placeOf(of, inverted);
  adjust(withPlace(inverted, { open: open ?? [], selected: selected && path && path.length > 0 ? path : null, since: of.transforms.length }));
}

/** Selects a node that was chosen elsewhere than in the tree: its row will be seen there, too. */
export function selectAndOpen(path: Path | null, inverted: boolean): void {
  const { transforms } = view.peek(), place = placeOf(view.peek(), inverted);
  adjust(withPlace(inverted, { open: path ? openPath(place.open, path.slice(0, -1)) : place.open, selected: path, since: transforms.length }));
}

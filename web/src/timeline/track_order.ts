// Where tracks stand: what a drag of a label, or a key, makes of their order. Nothing here draws.

export interface Placed {
  readonly id: string;
  readonly pid: string;
  readonly local: boolean;
}

/** What can change places with a track: tracks of the same process, or other processes. */
export const isSibling = (a: Placed, b: Placed): boolean => a.local === b.local && (!a.local || a.pid === b.pid);

/** The order in which a track stands right before another one, or right behind it; a process takes all of its tracks along. */
export function movedOrder(tracks: readonly Placed[], id: string, target: string, after: boolean): readonly string[] | null {
  const track = tracks.find((one) => one.id === id), goal = tracks.find((one) => one.id === target);
  if (!track || !goal || id === target || !isSibling(track, goal)) return null;
  const belongs = (one: Placed, to: Placed): boolean => one.id === to.id || (!to.local && one.local && one.pid === to.pid);
  const moving = tracks.filter((one) => belongs(one, track)), others = tracks.filter((one) => !belongs(one, track));
  const places = others.flatMap((one, i) => (belongs(one, goal) ? [i] : []));
  const at = after ? places[places.length - 1]! + 1 : places[0]!;
  const order = [...others.slice(0, at), ...moving, ...others.slice(at)].map((one) => one.id);
  return order.every((one, i) => one === tracks[i]!.id) ? null : order;
}

/** One place up or down among those of its kind that are shown. */
export function steppedOrder(tracks: readonly Placed[], shown: readonly Placed[], id: string, step: 1 | -1): readonly string[] | null {
  const track = shown.find((one) => one.id === id);
  if (!track) return null;
  const siblings = shown.filter((one) => isSibling(one, track)), next = siblings[siblings.indexOf(track) + step];
  return next ? movedOrder(tracks, id, next.id, step > 0) : null;
}

/** What of an order is not as usual: of each group of siblings those at whose place others stood, and those before them. */
export function shortOrder(order: readonly string[], usual: readonly Placed[]): string[] {
  const place = new Map(order.map((id, i) => [id, i])), groups = new Map<string, string[]>();
  for (const { id, pid, local } of usual) {
    const key = local ? `local ${pid}` : '';
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return [...groups.values()].flatMap((ids) => {
    const now = [...ids].sort((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
    let end = now.length;
    while (end > 0 && now[end - 1] === ids[end - 1]) end--;
    return now.slice(0, end);
  });
}

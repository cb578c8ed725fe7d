// What lies above what in the graph of a thread: the hills, what it waited for below them, and a bar for each sample.

export interface Lane {
  readonly top: number;
  readonly height: number;
}

export interface Lanes {
  readonly activity: Lane;
  readonly waits: Lane | null;
  readonly strip: Lane | null;
}

const STRIP_HEIGHT = 5, WAITS_HEIGHT = 2, TOP = 3, GAP = 1;
/** A lower graph has hills only. */
const STRIP_FROM = 36;

/** How high over the lower edge of the hills a place is, 1 being their upper edge; null where it is below them. */
export const heightInHills = ({ activity: { top, height } }: Lanes, y: number): number | null => (y >= top + height ? null : (top + height - y) / height);

/** In CSS pixels. */
export function graphLanes(height: number, hasStrip: boolean, hasWaits: boolean): Lanes {
  let bottom = height - 1;
  const below = (size: number): Lane => {
    bottom -= size + GAP;
    return { top: bottom + GAP, height: size };
  };
  const strip = hasStrip && height >= STRIP_FROM ? below(STRIP_HEIGHT) : null;
  const waits = hasWaits ? below(WAITS_HEIGHT) : null;
  return { activity: { top: TOP, height: Math.max(1, bottom - TOP) }, waits, strip };
}

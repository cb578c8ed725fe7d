// Jumps within a listing of instructions, each in a lane of its own where it would cross another.

export interface Jump {
  readonly from: number;
  readonly to: number;
  /** 0 is the one beside the instructions. */
  readonly lane: number;
}

export const MOST_LANES = 6;
const CALL = /^(call|bl|blr|bla|brasl)\b/;

/** Jumps between rows, the shortest inside; those that find no free lane are left out. A call is no jump. */
export function layoutJumps(address: ArrayLike<number>, target: ArrayLike<number>, texts: readonly string[]): Jump[] {
  const rowOf = new Map<number, number>();
  for (let row = 0; row < address.length; row++) rowOf.set(address[row]!, row);
  const wanted: { from: number; to: number }[] = [];
  for (let from = 0; from < address.length; from++) {
    const to = rowOf.get(target[from]!);
    if (to !== undefined && to !== from && !CALL.test(texts[from] ?? '')) wanted.push({ from, to });
  }
  const length = ({ from, to }: { from: number; to: number }): number => Math.abs(to - from);
  wanted.sort((a, b) => length(a) - length(b) || a.from - b.from);
  const lanes: [first: number, last: number][][] = Array.from({ length: MOST_LANES }, () => []);
  const jumps: Jump[] = [];
  for (const { from, to } of wanted) {
    const first = Math.min(from, to), last = Math.max(from, to);
    const lane = lanes.findIndex((taken) => taken.every(([start, end]) => last < start || first > end));
    if (lane < 0) continue;
    lanes[lane]!.push([first, last]);
    jumps.push({ from, to, lane });
  }
  return jumps;
}

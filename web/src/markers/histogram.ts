// Parts of a histogram, as the engine makes them: see `marker_stats` in docs/api.md.

export const BUCKETS = 20;

/** Where a part begins and ends; equally wide, or where the values span more than two decades, by equal factors. */
export function bucketBounds(low: number, high: number, isLogarithmic: boolean, bucket: number): readonly [number, number] {
  const edge = (at: number): number => (isLogarithmic ? low * (high / low) ** (at / BUCKETS) : low + ((high - low) * at) / BUCKETS);
  return [edge(bucket), bucket === BUCKETS - 1 ? high : edge(bucket + 1)];
}

/** Heights of bars from 0 to 1; one that counts anything can be seen. */
export function barHeights(counts: ArrayLike<number>): number[] {
  const all = Array.from(counts), most = Math.max(1, ...all), least = 0.06;
  return all.map((count) => (count === 0 ? 0 : Math.max(least, count / most)));
}

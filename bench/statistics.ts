// Numbers of repeated measurements, and how they are written down.

export type Series = number[];

const sorted = (series: Series): Series => [...series].sort((a, b) => a - b);

export function quantile(series: Series, q: number): number {
  const values = sorted(series);
  const at = (values.length - 1) * q;
  const low = Math.floor(at);
  return values[low] + (values[Math.min(low + 1, values.length - 1)] - values[low]) * (at - low);
}

export const median = (series: Series): number => quantile(series, 0.5);

/** "12.3 (11.9–13.0)": the median and the range of all measurements. */
export function spread(series: Series, digits = 1): string {
  const values = sorted(series);
  return `${median(values).toFixed(digits)} (${values[0].toFixed(digits)}–${values[values.length - 1].toFixed(digits)})`;
}

/** "15.2×": how many times larger the median of `peer` is. */
export const ratio = (peer: Series, ours: Series): string => `${(median(peer) / median(ours)).toFixed(1)}×`;

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

const mean = (series: Series): number => series.reduce((sum, value) => sum + value, 0) / series.length;

const TRIMMED = 0.1; // at each end

/** The mean without the tenth at each end: a run that something else disturbed does not count. */
export function trimmedMean(series: Series): number {
  const cut = Math.floor(series.length * TRIMMED);
  return mean(sorted(series).slice(cut, series.length - cut));
}

/** Of the trimmed mean, after Tukey: from the deviation of the values with each end drawn in to the last that counts. */
export function trimmedError(series: Series): number {
  const values = sorted(series);
  const cut = Math.floor(values.length * TRIMMED);
  const [low, high] = [values[cut], values[values.length - 1 - cut]];
  const drawnIn = values.map((value) => Math.min(Math.max(value, low), high));
  const middle = mean(drawnIn);
  const variance = drawnIn.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance / values.length) / (1 - (2 * cut) / values.length);
}

/** "12.3 (11.9–13.0)": the median and the range of all measurements. */
export function spread(series: Series, digits = 1): string {
  const values = sorted(series);
  return `${median(values).toFixed(digits)} (${values[0].toFixed(digits)}–${values[values.length - 1].toFixed(digits)})`;
}

/** "15.2×": how many times larger the median of `peer` is. */
export const ratio = (peer: Series, ours: Series): string => `${(median(peer) / median(ours)).toFixed(1)}×`;

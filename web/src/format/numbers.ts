// Numbers as people read them: the rules that the command has, too.

/** `98%`, `9.9%`, `0.9%`, `0.0%`: two digits. */
export function percent(part: number, whole: number): string {
  if (!(whole > 0 || whole < 0)) return '—';
  const share = (100 * part) / whole;
  return Math.abs(share) < 9.95 ? `${share.toFixed(1)}%` : `${share.toFixed(0)}%`;
}

const GROUPED = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const GROUPED_ONE = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const count = (value: number): string => (Number.isFinite(value) ? GROUPED.format(value) : '—');

export type WeightType = 'samples' | 'tracing-ms' | 'bytes' | 'page faults';

/** A weight in its column: the unit stands in the header. */
export const weight = (value: number, type: WeightType): string => (type === 'tracing-ms' ? GROUPED_ONE.format(value) : count(value));

/** Nothing is a dash, so that what is there stands out. */
export const weightOrDash = (value: number, type: WeightType): string => (value === 0 ? '—' : weight(value, type));

export const unitOf = (type: WeightType): string => (type === 'tracing-ms' ? 'ms' : type);

export function weightWithUnit(value: number, type: WeightType): string {
  if (type === 'tracing-ms') return duration(value);
  if (type === 'bytes') return bytes(value);
  return `${count(value)} ${value === 1 ? 'sample' : 'samples'}`;
}

const PREFIXES = ['', 'k', 'M', 'G', 'T'] as const;

/** 950, 1.2k, 34M: three digits at most. */
export function shortNumber(value: number): string {
  let size = Math.abs(value), prefix = 0;
  while (size >= 999.5 && prefix < PREFIXES.length - 1) {
    size /= 1000;
    prefix++;
  }
  const digits = size >= 99.5 || (prefix === 0 && Number.isInteger(size)) ? 0 : size >= 9.95 ? 1 : 2;
  return `${value < 0 ? '-' : ''}${size.toFixed(digits).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')}${PREFIXES[prefix]}`;
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = Math.abs(value), unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${value < 0 ? '-' : ''}${unit === 0 ? size.toFixed(0) : size.toPrecision(size >= 100 ? 4 : 3).replace(/\.?0+$/, '')}${units[unit]}`;
}

/** Three digits in the unit that fits: `1.25s`, `12.3ms`, `340μs`, `1m20s`, `2h03m`. */
export function duration(ms: number): string {
  const size = Math.abs(ms), sign = ms < 0 ? '-' : '';
  if (!Number.isFinite(ms)) return '—';
  if (size === 0) return '0s';
  if (size >= 3_600_000) return `${sign}${Math.floor(size / 3_600_000)}h${String(Math.floor((size % 3_600_000) / 60_000)).padStart(2, '0')}m`;
  if (size >= 60_000) return `${sign}${Math.floor(size / 60_000)}m${String(Math.floor((size % 60_000) / 1000)).padStart(2, '0')}s`;
  const [value, unit] = size >= 1000 ? [size / 1000, 's'] : size >= 1 ? [size, 'ms'] : size >= 0.001 ? [size * 1000, 'μs'] : [size * 1e6, 'ns'];
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${sign}${trimZeros(value.toFixed(digits))}${unit}`;
}

const trimZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** Zero has no sign. */
const signed = (sign: string, text: string): string => (/[1-9]/.test(text) ? sign + text : text);

/** A moment, with as many digits as the step between it and the next one needs. */
export function timestamp(ms: number, step: number): string {
  const size = Math.abs(ms), sign = ms < 0 ? '-' : '';
  if (size >= 60_000 || step >= 60_000) {
    const minutes = Math.floor(size / 60_000), seconds = (size % 60_000) / 1000;
    if (step >= 60_000) return signed(sign, `${minutes}m`);
    const digits = step >= 1000 ? 0 : Math.min(9, Math.ceil(-Math.log10(step / 1000) - 1e-9));
    return `${sign}${minutes}m${seconds.toFixed(digits).padStart(digits > 0 ? digits + 3 : 2, '0')}s`;
  }
  const [unit, name] = step >= 100 || size >= 1000 ? [1000, 's'] : step >= 0.1 || size >= 1 ? [1, 'ms'] : [0.001, 'μs'];
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  return signed(sign, `${(size / unit).toFixed(digits)}${name}`);
}

/** The smallest round step (1, 2, 5 × 10ⁿ, then minutes and hours) that is at least so large. */
export function roundStep(least: number): number {
  for (const long of [60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000, 3_600_000]) {
    if (least > 50_000 && long >= least) return long;
  }
  if (least > 3_600_000) return Math.ceil(least / 3_600_000) * 3_600_000;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((f) => f * power >= least * (1 - 1e-12)) ?? 10;
  return factor * power;
}

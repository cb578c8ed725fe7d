// How a counter is drawn and written: as the profile says, or as its category stands for.
import type { Counter } from '../state/opened.ts';
import { bytes, count, shortNumber } from '../format/numbers.ts';

export interface CounterDisplay {
  /** Of a category; null: the one that all counters have. */
  readonly color: string | null;
  /** A value of its line: a sum, or a change per second. */
  readonly write: (value: number) => string;
}

const PER_SECOND: Readonly<Record<string, number>> = { ns: 1e9, µs: 1e6, μs: 1e6 };

/** Picowatt-hours per second. */
const watts = (rate: number): string => (rate >= 2.777e8 ? `${shortNumber((rate * 3600) / 1e12)}W` : `${shortNumber((rate * 3600) / 1e9)}mW`);

export function counterDisplay({ name, category, display }: Counter, accumulated: boolean, cpuUnit: string | null): CounterDisplay {
  const own = (key: string): string | null => (typeof display?.[key] === 'string' ? (display[key] as string) : null);
  const isCpu = category === 'CPU' && name === 'processCPU';
  const unit = own('unit') ?? (category === 'Bandwidth' || category === 'Memory' ? 'bytes' : category === 'power' ? 'pWh' : isCpu ? 'percent' : '');
  const color = own('color') ?? (category === 'Memory' ? 'orange' : category === 'Bandwidth' ? 'blue' : null);
  const perSecond = isCpu ? PER_SECOND[cpuUnit ?? ''] : undefined;
  const rate = accumulated ? '' : '/s';
  const write = (value: number): string => {
    if (unit === 'bytes') return bytes(value) + rate;
    if (unit === 'percent' && perSecond !== undefined && !accumulated) return `${count((100 * value) / perSecond)}%`;
    if (unit === 'percent' && !isCpu) return `${shortNumber(value)}%${rate}`;
    if (unit === 'pWh' && !accumulated) return watts(value);
    return `${shortNumber(value)}${unit && unit !== 'percent' ? ` ${unit}` : ''}${rate}`;
  };
  return { color: color === 'grey' ? null : color, write };
}

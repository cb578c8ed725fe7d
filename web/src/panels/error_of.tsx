// How certain a sum of sampled allocations is.

import type { JSX } from 'preact';

import { weightWithUnit, type WeightType } from '../format/numbers.ts';

/** How far off the sums of sampled allocations may be: the truth is within it 95 times in 100. */
export interface Errors {
  readonly total: number | null;
  readonly self: number | null;
}

/** ± and a bar: the sum in the middle, from the least that it may be to the most. Nothing of sums that are exact. */
export function ErrorOf({ amount, error, type }: { readonly amount: number; readonly error: number | null | undefined; readonly type: WeightType }): JSX.Element | null {
  if (error === undefined || amount === 0 || error === 0) return null;
  if (error === null) return <span class="uncertain" title="Too few samples to tell how far off it may be"> few samples</span>;
  const most = Math.abs(amount) + error, least = Math.max(0, Math.abs(amount) - error);
  return (
    <span class="uncertain" title="Two standard errors: the truth is within them 95 times in 100">
      {` ±${weightWithUnit(error, type)}`}
      <i class="error-bar" style={{ '--least': String(least / most), '--middle': String(Math.abs(amount) / most) }} />
    </span>
  );
}

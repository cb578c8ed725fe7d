// The numbers beside lines and instructions: weights, or shares of all samples that are seen.
import { percent, weight, type WeightType } from '../format/numbers.ts';
import { preferences } from '../theme/theme.ts';

export type NumberStyle = 'weight' | 'share';

/** Nothing is no text, so that what is there stands out. */
export function figure(value: number, type: WeightType, whole: number, style: NumberStyle): string {
  if (value === 0) return '';
  return style === 'share' ? percent(value, whole) : weight(value, type);
}

export const numberStyle = (): NumberStyle => preferences.value.sourceNumbers;

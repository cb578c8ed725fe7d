// Colours of markers: those of their category; the usual blue where it has no colour of its own.
import { opened } from '../state/store.ts';
import { categoryPaint } from '../theme/colors.ts';
import { cssColor, isDark } from '../theme/theme.ts';
import { NO_CATEGORY } from '../transport/protocol.ts';
import { visible } from '../transport/texts.ts';

export interface MarkerPaint {
  readonly fill: string;
  readonly border: string;
  /** Of markers that stand out, and of the text on them. */
  readonly strong: string;
  readonly strongText: string;
}

const COLORLESS = new Set(['grey', 'gray', 'transparent']);

export function markerPaint(category: number): MarkerPaint {
  const color = opened.value?.categories[category]?.color ?? 'grey';
  if (COLORLESS.has(color)) {
    const border = cssColor('--marker-border');
    return { fill: cssColor('--marker'), border, strong: border, strongText: isDark.value ? '#000' : '#fff' };
  }
  const { strong, weak, text } = categoryPaint(color);
  return { fill: weak, border: strong, strong, strongText: text };
}

/** Markers without a category stand with those of the category `Other`. */
export const categoryName = (category: number): string => (category === NO_CATEGORY ? 'Other' : visible(opened.value?.categories[category]?.name ?? 'Other'));

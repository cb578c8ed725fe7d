// Colours of markers: those of their category; the usual blue where it has no colour of its own.
import { computed } from '@preact/signals';
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

/** Light colours need an edge that is seen on white, dark ones on black. */
const edgeOf = (color: string): string => `color-mix(in srgb, ${color} 80%, ${isDark.value ? '#fff' : '#000'})`;

function paintOf(color: string): MarkerPaint {
  if (COLORLESS.has(color)) {
    const border = cssColor('--marker-border');
    return { fill: cssColor('--marker'), border, strong: border, strongText: isDark.value ? '#000' : '#fff' };
  }
  const { strong, weak, text } = categoryPaint(color);
  return { fill: weak, border: edgeOf(strong), strong, strongText: text };
}

/** Charts ask for the paint of each mark. */
const paints = computed(() => opened.value?.categories.map(({ color }) => paintOf(color)) ?? []);
const usual = computed(() => paintOf('grey'));

export const markerPaint = (category: number): MarkerPaint => paints.value[category] ?? usual.value;

/** Markers without a category stand with those of the category `Other`. */
export const categoryName = (category: number): string => (category === NO_CATEGORY ? 'Other' : visible(opened.value?.categories[category]?.name ?? 'Other'));

// The colour of a frame: that of its category, and of its library where nearly everything is of one category.
import { computed } from '@preact/signals';
import { opened } from '../state/store.ts';
import { categoryPaint, libraryPaint, type Paint } from './colors.ts';

/** Names that profilers give to what they know nothing of. */
const UNKNOWING = new Set(['other', 'native', 'user', 'program']);

const SPECIAL = /idle|kernel|wait|profiler|jit|blocked|cpu/;

/** So many categories of its own make a profile one whose categories tell frames apart. */
const TELLING_CATEGORIES = 6;

const saysNothing = computed(() => {
  const names = opened.value?.categories.map(({ name }) => name.toLowerCase()) ?? [];
  return names.filter((name) => !UNKNOWING.has(name) && !SPECIAL.test(name)).length < TELLING_CATEGORIES;
});

export function framePaint(category: number, library: string): Paint {
  const found = opened.value?.categories[category];
  if (saysNothing.value && library !== '' && (!found || UNKNOWING.has(found.name.toLowerCase()))) return libraryPaint(library);
  return categoryPaint(found?.color ?? 'grey');
}

// The colour of a frame: that of its category, and of its library where nearly everything is of one category.
import { computed } from '@preact/signals';
import { opened } from '../state/store.ts';
import { categoryPaint, libraryPaint, type Paint } from './colors.ts';

/** Names that profilers give to what they know nothing of. */
const UNKNOWING = new Set(['other', 'native', 'user', 'program']);

/** Whether categories tell nothing of frames in this profile, but for kernel, waiting, idle and the profiler itself: as where all is native code. */
const saysNothing = computed(() => {
  if ((opened.value?.implementations.length ?? 0) < 2) return true;
  const names = opened.value?.categories.map(({ name }) => name.toLowerCase()) ?? [];
  return names.every((name) => UNKNOWING.has(name) || /idle|kernel|wait|profiler|jit|blocked|cpu/.test(name));
});

export function framePaint(category: number, library: string): Paint {
  const found = opened.value?.categories[category];
  if (saysNothing.value && library !== '' && (!found || UNKNOWING.has(found.name.toLowerCase()))) return libraryPaint(library);
  return categoryPaint(found?.color ?? 'grey');
}

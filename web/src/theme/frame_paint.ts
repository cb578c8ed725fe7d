// The colour of a frame: that of its category, and of its library where nearly everything is of one category.
import { computed } from '@preact/signals';
import { opened } from '../state/store.ts';
import { categoryPaint, libraryPaint, type Paint } from './colors.ts';

/** Names that profilers give to what they know nothing of. */
const UNKNOWING = new Set(['other', 'native', 'user', 'program']);

/** The same in every program: they say nothing of its parts. */
const SPECIAL = /idle|kernel|wait|profiler|blocked|cpu/;

const FEW = 0.5;

/** Whether most stacks that run code of the program end in frames of which nothing is known. */
const saysNothing = computed(() => {
  const own = (opened.value?.categories ?? []).map(({ name, stacks }) => ({ name: name.toLowerCase(), stacks })).filter(({ name }) => !SPECIAL.test(name));
  const sum = own.reduce((total, { stacks }) => total + stacks, 0);
  const telling = own.filter(({ name }) => !UNKNOWING.has(name)).reduce((total, { stacks }) => total + stacks, 0);
  return telling < FEW * sum || sum === 0;
});

/** Those whose frames are told apart by their libraries. */
export const unknowingCategories = computed<readonly number[]>(() =>
  saysNothing.value ? (opened.value?.categories ?? []).flatMap(({ name }, i) => (UNKNOWING.has(name.toLowerCase()) ? [i] : [])) : [],
);

export function framePaint(category: number, library: string): Paint {
  const found = opened.value?.categories[category];
  if (saysNothing.value && library !== '' && (!found || UNKNOWING.has(found.name.toLowerCase()))) return libraryPaint(library);
  return categoryPaint(found?.color ?? 'grey');
}

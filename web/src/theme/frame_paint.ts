// The colour of a frame: that of its category, of its library, or of its function, as the person chose. Unless somebody did, it is
// that of the category, and of the library where nearly everything is of one category.
import { computed } from '@preact/signals';
import { opened } from '../state/store.ts';
import { categoryPaint, functionPaint, libraryPaint } from './colors.ts';
import type { Paint } from './palette.ts';
import { preferences } from './theme.ts';

/** Names that profilers give to what they know nothing of. */
const UNKNOWING = new Set(['other', 'native', 'user', 'program']);

/** The same in every program: they say nothing of its parts, and keep their colours. */
const SPECIAL = /idle|kernel|wait|profiler|blocked|cpu/;

const FEW = 0.5;

/** Whether most stacks that run code of the program end in frames of which nothing is known. */
const saysNothing = computed(() => {
  const own = (opened.value?.categories ?? []).map(({ name, stacks }) => ({ name: name.toLowerCase(), stacks })).filter(({ name }) => !SPECIAL.test(name));
  const sum = own.reduce((total, { stacks }) => total + stacks, 0);
  const telling = own.filter(({ name }) => !UNKNOWING.has(name)).reduce((total, { stacks }) => total + stacks, 0);
  return telling < FEW * sum || sum === 0;
});

/** Those whose frames have colours of their own, of libraries or of functions. */
export const dividedCategories = computed<readonly number[]>(() => {
  const { colorBy } = preferences.value;
  if (colorBy === 'category' || (colorBy === 'usual' && !saysNothing.value)) return [];
  const isDivided = (name: string): boolean => (colorBy === 'usual' ? UNKNOWING.has(name) : !SPECIAL.test(name));
  return (opened.value?.categories ?? []).flatMap(({ name }, i) => (isDivided(name.toLowerCase()) ? [i] : []));
});
const divided = computed(() => new Set(dividedCategories.value));

/** `func`: the name of its function, where single frames are shown. Fills of the timeline are of libraries. */
export function framePaint(category: number, library: string, func = ''): Paint {
  const found = opened.value?.categories[category], { colorBy } = preferences.value;
  const isOwn = found ? divided.value.has(category) : colorBy !== 'category' && (colorBy !== 'usual' || saysNothing.value);
  if (!isOwn) return categoryPaint(found?.color ?? 'grey');
  if (colorBy === 'function' && func !== '') return functionPaint(func);
  return library === '' ? categoryPaint(found?.color ?? 'grey') : libraryPaint(library, func);
}

// By which columns the marker table is sorted.

export type SortKey = 'start' | 'duration' | 'name' | 'thread' | 'category';

/** Which direction a column has at first: long ones are what is looked for. */
const DOWN_AT_FIRST = new Set<string>(['duration']);

export const keyOf = (sorted: string): string => sorted.replace(/^-/, '');

/** After a click on a header: the column counts most, a second click turns it round, those before it decide between equals. */
export function sortedBy(before: readonly string[], key: SortKey): string[] {
  const [first = '', ...rest] = before, down = first === key || (first !== `-${key}` && DOWN_AT_FIRST.has(key));
  const others = keyOf(first) === key ? rest : before;
  return [down ? `-${key}` : key, ...others.filter((other) => keyOf(other) !== key)];
}

// The keys of a list: one row further, a page, or all the way.
import type { Command } from '../state/commands.ts';

const PAGE = 15;

/** `step` goes so many rows from the one that is selected, `select` to one by its number. */
export function rowKeys(group: string, step: (by: number) => void, select: (row: number) => void, count: () => number): Command[] {
  return [
    { group, title: 'Next row', keys: ['ArrowDown'], run: () => step(1) },
    { group, title: 'Previous row', keys: ['ArrowUp'], run: () => step(-1) },
    { group, title: 'A page down', keys: ['PageDown'], run: () => step(PAGE) },
    { group, title: 'A page up', keys: ['PageUp'], run: () => step(-PAGE) },
    { group, title: 'First row', keys: ['Home'], run: () => select(0) },
    { group, title: 'Last row', keys: ['End'], run: () => select(count() - 1) },
  ];
}

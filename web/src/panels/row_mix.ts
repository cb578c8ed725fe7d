// The bar behind the percentage of a row: of which categories what ran there is, in their colours.
import { opened } from '../state/store.ts';
import { categoryPaint } from '../theme/colors.ts';
import { dividedCategories } from '../theme/frame_paint.ts';
import type { Columns } from '../transport/protocol.ts';

export type MixColumns = Partial<Columns<'mix_row' | 'mix_category' | 'mix_total'>>;

/** Categories that say nothing of the program, as their functions have the colours of libraries. */
const isPlain = (category: number): boolean => dividedCategories.value.includes(category);

/** The background of each row that has a mix, `whole` being as wide as the cell. */
export function mixBars({ mix_row: rows, mix_category: categories, mix_total: totals }: MixColumns, whole: number): Map<number, string> {
  const bars = new Map<number, string>(), ends = new Map<number, number>(), stops = new Map<number, string[]>();
  for (let i = 0; rows && categories && totals && whole !== 0 && i < rows.length; i++) {
    const row = rows[i]!, category = categories[i]!, from = ends.get(row) ?? 0, to = from + Math.abs(totals[i]! / whole) * 100;
    const color = isPlain(category) ? 'var(--accent-weak)' : categoryPaint(opened.peek()?.categories[category]?.color ?? 'grey').weak;
    ends.set(row, to);
    stops.set(row, [...(stops.get(row) ?? []), `${color} ${from.toFixed(2)}% ${to.toFixed(2)}%`]);
  }
  for (const [row, colors] of stops) bars.set(row, `linear-gradient(to right, ${colors.join(', ')}, transparent 0)`);
  return bars;
}

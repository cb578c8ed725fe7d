// Tables as text: columns that stand below each other, or Markdown.

export type TableFormat = 'text' | 'markdown';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** `right`: columns of numbers. */
export function textTable(format: TableFormat, heads: readonly string[], rows: readonly (readonly string[])[], right: ReadonlySet<number>): string {
  const clean = (text: string): string => (format === 'markdown' ? oneLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|') : oneLine(text));
  const all = [heads, ...rows].map((row) => row.map(clean));
  const widths = heads.map((_, column) => all.reduce((most, row) => Math.max(most, [...(row[column] ?? '')].length), 3));
  const pad = (text: string, column: number): string => {
    const spaces = ' '.repeat(Math.max(0, widths[column]! - [...text].length));
    return right.has(column) ? spaces + text : text + spaces;
  };
  const lines = all.map((row) => row.map(pad));
  if (format === 'text') return lines.map((row) => row.join('  ').trimEnd()).join('\n') + '\n';
  const rule = widths.map((width, column) => (right.has(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [lines[0]!, rule, ...lines.slice(1)].map((row) => `| ${row.join(' | ')} |`).join('\n') + '\n';
}

// In the sidebar: the lines of a function that most of its samples are on.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { percent, weightWithUnit } from '../format/numbers.ts';
import { afterPanel } from '../state/after_panel.ts';
import { ask, generation, opened, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import { visible } from '../transport/texts.ts';
import { useSignalRun } from '../widgets/use.ts';
import { goToLine, type LinesPart } from '../source/source_model.ts';
import { lineOf, needText, textsChanged } from '../source/source_texts.ts';
import { openFunctionSource } from './call_node.ts';

interface HotLines extends LinesPart {
  readonly file: string | null;
  readonly func: number;
}

const MOST_LINES = 5;

const hot = signal<HotLines | null>(null);
let last = '';

async function load(func: number, key: string): Promise<void> {
  const reply = await ask('hot-lines', queryState(view.peek()), [{ ask: 'lines', func }]);
  if (!reply || key !== last) return;
  const part = reply.parts[0] as HotLines;
  hot.value = { ...part, func };
  if (part.file && part.columns.line.length > 0) await needText(part.file, func);
}

function hottest({ line, total, self }: LinesPart['columns']): number[] {
  return Array.from(line.keys()).filter((i) => line[i]! > 0).sort((a, b) => total[b]! - total[a]! || self[b]! - self[a]!).slice(0, MOST_LINES);
}

export function HotLines({ func }: { readonly func: number }): JSX.Element | null {
  useSignalRun(() => {
    const key = opened.value ? JSON.stringify([func, queryState(view.value), generation.value]) : '';
    if (key === last) return;
    last = key;
    if (key === '') hot.value = null;
    else afterPanel('hot-lines', () => void load(func, key));
  }, [func]);
  void textsChanged.value;
  const part = hot.value;
  if (!part || part.func !== func || !part.file) return null;
  const { file, columns, root_total: whole, weight_type: type } = part, rows = hottest(columns);
  if (rows.length === 0) return null;
  const open = (line: number): void => {
    goToLine(func, line);
    openFunctionSource(func);
  };
  return (
    <section class="hot-lines">
      <h3>Hottest lines of the function</h3>
      {rows.map((i) => {
        const line = columns.line[i]!, text = lineOf(file, line), amount = weightWithUnit(columns.total[i]!, type);
        const self = columns.self[i]! === 0 ? '' : `, of which ${weightWithUnit(columns.self[i]!, type)} in the line itself`;
        return (
          <button key={line} class="hot-line" title={`${amount}${self}: shows the line ${line} of ${visible(file)}`} onClick={() => open(line)}>
            <span class="hot-number">{line}</span>
            <code>{text ? visible(text) : visible(file.split('/').pop() ?? '')}</code>
            <span>{percent(columns.total[i]!, whole)}</span>
            <i style={{ '--share': String(whole ? Math.min(1, Math.abs(columns.total[i]! / whole)) : 0) }} />
          </button>
        );
      })}
    </section>
  );
}

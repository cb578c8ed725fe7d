// The source of a function: its file, with the samples of each line.
import { useEffect, useRef, useState } from 'preact/hooks';
import { effect } from '@preact/signals';
import type { JSX } from 'preact';
import { adjust, failure, view } from '../state/store.ts';
import { visible } from '../transport/texts.ts';
import { useCommands } from '../widgets/use.ts';
import type { SourceEditor } from './source_editor.ts';
import { HeatStrip } from './heat_strip.tsx';
import { hotPlaces, largest, nextHot, type Timings } from './heat.ts';
import { figure, numberStyle } from './numbers.ts';
import { hoveredInstruction, hoveredLine, instructions, lines, source, type LinesPart, type SourcePart } from './source_model.ts';

/** Lines that are shown where the text is not there: up to the last one that has samples. */
const MOST_EMPTY_LINES = 100_000;
const EMPTY_AFTER = 40;

function emptyLines({ first_line: first, columns: { line } }: SourcePart): string {
  const last = Math.max(first, largest(line));
  return '\n'.repeat(Math.min(MOST_EMPTY_LINES, last - first + EMPTY_AFTER));
}

const timingsOf = ({ columns: { line, total, self } }: LinesPart): Timings => ({ place: line, total, self });

/** The line of the instruction that the pointer is on, where it is of this file. */
function lineOfHovered(file: string | null): number | null {
  const row = hoveredInstruction.value, part = instructions.value;
  if (row === null || !part || part.files[part.columns.file[row] ?? -1] !== file) return null;
  return part.columns.line[row] ?? null;
}

/** The editor follows the model as long as it is there. */
function followModel(editor: SourceEditor): () => void {
  let shown: SourcePart | null = null;
  const endings = [
    effect(() => {
      const now = source.value;
      if (!now) return;
      const { part, goTo } = now;
      if (!shown || shown.text !== part.text || shown.file !== part.file || part.text === null) editor.show({ name: part.file ?? '', text: part.text ?? emptyLines(part), firstLine: part.first_line });
      shown = part;
      if (goTo !== null) editor.goTo(goTo);
    }),
    effect(() => {
      const part = lines.value, style = numberStyle();
      if (!part || !source.value) return;
      const { line, total, self } = part.columns;
      const text = (value: number): string => figure(value, part.weight_type, part.root_total, style);
      editor.showNumbers({ line, total, shown: Array.from(line, (_, i) => ({ total: text(total[i]!), self: text(self[i]!) })) });
    }),
    effect(() => editor.mark(lineOfHovered(source.value?.part.file ?? null))),
  ];
  return () => endings.forEach((end) => end());
}

function showInstructions(): void {
  const { bottom } = view.peek();
  if (bottom) adjust({ bottom: { ...bottom, assembly: true } });
}

function Failure({ part }: { readonly part: SourcePart }): JSX.Element {
  return (
    <div class="source-failure" role="status">
      <h2>The source is not there</h2>
      {part.file && <p>{visible(part.file)}</p>}
      <ul>{part.tried.map(({ where, why }) => <li key={where}><b>{visible(where)}</b>: {visible(why)}</li>)}</ul>
      {part.file && <p><code>sonde view --source-dir DIR</code> looks in a folder of yours, too.</p>}
      {!view.value.bottom?.assembly && <button onClick={showInstructions}>Show the instructions</button>}
    </div>
  );
}

function notesOf({ checksum, newer, cut, found }: SourcePart): string[] {
  const where = found ? visible(found) : 'The file';
  return [
    ...(checksum === 'differs' ? [`${where} is not the text that was compiled: its checksum is another one, and numbers may stand beside other lines.`] : []),
    ...(checksum !== 'differs' && newer ? [`${where} was changed after the recording: its lines may be others.`] : []),
    ...(cut ? ['Only the first 4 MB of the file are shown.'] : []),
  ];
}

export function SourcePane(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<SourceEditor | null>(null);
  useEffect(() => {
    let isThere = true, made: SourceEditor | undefined, end = (): void => {};
    import('./source_editor.ts').then(
      ({ SourceEditor }) => {
        if (!isThere || !host.current) return;
        made = new SourceEditor(host.current, (line) => (hoveredLine.value = line));
        end = followModel(made);
        setEditor(made);
      },
      (error) => (failure.value = `The source cannot be shown: ${error}`),
    );
    return () => {
      isThere = false;
      end();
      made?.dispose();
      hoveredLine.value = null;
    };
  }, []);
  const step = (by: 1 | -1): void => {
    const part = lines.peek(), to = part && editor ? nextHot(hotPlaces(timingsOf(part)), editor.currentLine, by) : null;
    if (editor && to !== null) editor.goTo(to);
  };
  const commands = useRef(step);
  commands.current = step;
  useCommands('source', () => [
    { group: 'Source', title: 'Next hot line', keys: [']'], run: () => commands.current(1) },
    { group: 'Source', title: 'Previous hot line', keys: ['['], run: () => commands.current(-1) },
  ]);
  const part = source.value?.part, timed = lines.value;
  return (
    <div class="source-pane">
      {part && notesOf(part).map((note) => <p key={note} class="source-note" role="status">{note}</p>)}
      <div class="source-header"><span title="In the line and all it called">Total</span><span title="In the line itself">Self</span></div>
      <div class="source-body">
        <div ref={host} class="source-editor" onKeyDown={keepScrollKeys} />
        {part?.text != null && timed && editor && <HeatStrip timings={timingsOf(timed)} first={part.first_line} count={editor.lineCount} onChoose={(line) => editor.goTo(line)} />}
        {!part && <p class="source-waiting" role="status">Waiting for the source …</p>}
        {part && part.text === null && <Failure part={part} />}
      </div>
    </div>
  );
}

const SCROLL_KEYS = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']);

/** They scroll what has the focus, and are no commands of the panel above. */
export function keepScrollKeys(event: KeyboardEvent): void {
  if (SCROLL_KEYS.has(event.key) && !event.ctrlKey) event.stopPropagation();
}

// Files that other tools read, made of what is shown.
import type { JSX } from 'preact';
import { failure, file, theEngine, view } from '../state/store.ts';
import { copyText } from '../state/clipboard.ts';
import { commandLine } from '../state/command_line_now.ts';
import { queryState } from '../state/view.ts';
import { closeMenu } from '../widgets/menu.tsx';

interface Format {
  readonly title: string;
  readonly format: 'svg' | 'folded' | 'csv' | 'json' | 'text';
  readonly of?: 'functions' | 'markers';
  /** What the name of the file ends in. */
  readonly ending: string;
}

const GROUPS: readonly { readonly title: string; readonly formats: readonly Format[] }[] = [
  { title: 'Flame graph', formats: [{ title: 'SVG', format: 'svg', ending: '.svg' }, { title: 'Folded stacks', format: 'folded', ending: '.folded' }] },
  { title: 'Call tree', formats: [{ title: 'Text', format: 'text', ending: '.txt' }, { title: 'CSV', format: 'csv', ending: '.csv' }, { title: 'JSON', format: 'json', ending: '.tree.json' }] },
  { title: 'Functions', formats: [{ title: 'CSV', format: 'csv', of: 'functions', ending: '.functions.csv' }, { title: 'JSON', format: 'json', of: 'functions', ending: '.functions.json' }] },
  { title: 'Markers', formats: [{ title: 'CSV', format: 'csv', of: 'markers', ending: '.markers.csv' }, { title: 'JSON', format: 'json', of: 'markers', ending: '.markers.json' }] },
];

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function exportAs({ format, of, ending }: Format): Promise<void> {
  closeMenu();
  const now = view.peek(), { transport, file: number } = theEngine();
  const inverted = format === 'svg' && now.panel === 'flame-graph' ? now.flame.inverted : now.inverted;
  const sort = of === 'functions' ? { sort: now.functionsSort } : {};
  try {
    const blob = await transport.exportFile?.(number, { v: 1, state: queryState(now, { inverted }), asks: [{ ask: 'export', format, ...(of ? { of } : {}), ...sort }] });
    if (blob) save(blob, `${(file.peek()?.name ?? 'profile').replace(/(\.json)?(\.gz|\.zst)?$/, '')}${ending}`);
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}

export function ExportPanel(): JSX.Element {
  const { transport, file: number } = theEngine();
  const copy = (): void => {
    closeMenu();
    void copyText(commandLine(), 'the command line');
  };
  return (
    <div class="popup export">
      {transport.exportFile && GROUPS.map(({ title, formats }) => (
        <div key={title} class="export-group" role="group" aria-label={title}>
          <span>{title}</span>
          {formats.map((format) => <button key={format.ending} onClick={() => void exportAs(format)}>{format.title}</button>)}
        </div>
      ))}
      <h2>In a terminal</h2>
      <code class="command-line">{commandLine()}</code>
      <button onClick={copy}>Copy command line</button>
      {transport.firefoxProfiler && <p><a href={transport.firefoxProfiler(number)} target="_blank" rel="noreferrer">Open in the Firefox Profiler</a></p>}
    </div>
  );
}

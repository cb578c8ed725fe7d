// Files that other tools read, made of what is shown.
import type { JSX } from 'preact';
import { failure, file, theEngine, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import { closeMenu } from '../widgets/menu.tsx';

const FORMATS = [
  ['svg', 'Flame graph (SVG)', 'svg'],
  ['folded', 'Folded stacks', 'txt'],
  ['csv', 'Functions (CSV)', 'csv'],
  ['json', 'Functions (JSON)', 'json'],
  ['text', 'Tree (text)', 'txt'],
] as const;

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function exportAs(format: string, ending: string): Promise<void> {
  closeMenu();
  try {
    const { inverted } = view.peek();
    const blob = await theEngine().transport.exportFile!(theEngine().file, { v: 1, state: queryState(view.peek(), { inverted }), format });
    save(blob, `${(file.peek()?.name ?? 'profile').replace(/(\.json)?(\.gz)?$/, '')}.${ending}`);
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  }
}

export function ExportPanel(): JSX.Element {
  const { transport, file: number } = theEngine();
  return (
    <div class="popup export">
      {transport.exportFile && (
        <ul>
          {FORMATS.map(([format, title, ending]) => (
            <li key={format}><button onClick={() => void exportAs(format, ending)}>{title}</button></li>
          ))}
        </ul>
      )}
      {transport.firefoxProfiler && <a href={transport.firefoxProfiler(number)} target="_blank" rel="noreferrer">Open in the Firefox Profiler</a>}
    </div>
  );
}

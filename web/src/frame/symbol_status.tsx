// In the top bar: symbols that arrive, and once nobody looks for them any more the names that are missing.
import { untracked } from '@preact/signals';
import type { JSX } from 'preact';
import { percent } from '../format/numbers.ts';
import { ask, generation, opened, symbolProgress } from '../state/store.ts';
import { showPopup } from '../widgets/menu.tsx';
import { useSignalRun } from '../widgets/use.ts';
import { modules, ModulesTable, type ModulesPart } from './modules_table.tsx';

/** Of the samples. */
const MANY = 0.2;

/** It takes a while with millions of samples, and nobody waits for it. */
const LATER_MS = 1500;
let timer = 0;

const areArriving = (): boolean => symbolProgress.value !== null && symbolProgress.value.done < symbolProgress.value.total;

function follow(): void {
  void generation.value;
  clearTimeout(timer);
  if (!opened.value) modules.value = null;
  if (!opened.value || areArriving()) return;
  timer = window.setTimeout(() => {
    void untracked(() => ask('modules', {}, [{ ask: 'modules' }])).then((reply) => {
      if (reply) modules.value = reply.parts[0] as ModulesPart;
    });
  }, LATER_MS);
}

const showLibraries = (from: Element): void => showPopup(from, 'Libraries', <div class="popup info"><ModulesTable /></div>);

export function SymbolStatus(): JSX.Element | null {
  useSignalRun(follow);
  const progress = symbolProgress.value, nameless = 1 - (modules.value?.named ?? 1);
  if (progress && areArriving())
    return (
      <button class="symbol-status" title="Shows the libraries" aria-haspopup="dialog" onClick={({ currentTarget }) => showLibraries(currentTarget)}>
        <progress value={progress.done} max={progress.total} aria-label="Symbols" /> names: {progress.done} of {progress.total} libraries
        {progress.share > 0 && `, ${percent(progress.share, 1)} of samples`}
      </button>
    );
  if (nameless <= MANY || modules.value?.pending) return null;
  return (
    <button class="symbol-status missing" title="Functions without a name show as addresses. The list of libraries says why; debug symbols, or “sonde symbolicate”, give names." aria-haspopup="dialog" onClick={({ currentTarget }) => showLibraries(currentTarget)}>
      names are missing in {percent(nameless, 1)} of the samples
    </button>
  );
}

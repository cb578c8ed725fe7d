// The libraries of a profile, how well their functions are known, and how many samples that concerns.
import { signal, untracked } from '@preact/signals';
import type { JSX } from 'preact';
import { count, percent } from '../format/numbers.ts';
import { ask, generation, opened, symbolProgress } from '../state/store.ts';
import type { Part } from '../transport/protocol.ts';
import { visible } from '../transport/texts.ts';
import { useSignalRun } from '../widgets/use.ts';

type SymbolState = 'full' | 'names-only' | 'exports-only' | 'none' | 'no-file' | 'other-build' | 'damaged' | 'pending' | 'not-asked';

interface Module {
  readonly name: string;
  readonly path: string;
  readonly build_id: string | null;
  readonly samples: number;
  readonly share: number;
  readonly state: SymbolState;
  readonly detail: string;
}

export interface ModulesPart extends Part {
  readonly samples: number;
  readonly named: number | null;
  readonly pending: number;
  readonly modules: readonly Module[];
}

const SAYS: Record<SymbolState, { readonly text: string; readonly hint: string; readonly isBad?: boolean }> = {
  full: { text: 'names and lines', hint: 'Its functions have names, files and lines' },
  'names-only': { text: 'names', hint: 'Names of functions, no files and lines: debug information would have them' },
  'exports-only': { text: 'exported names', hint: 'Only names that it exports: others may stand for functions beside them' },
  none: { text: 'no symbols', hint: 'The file has no names of functions', isBad: true },
  'no-file': { text: 'no file', hint: 'The file is not here', isBad: true },
  'other-build': { text: 'other build', hint: 'The file here is not the one that was recorded', isBad: true },
  damaged: { text: 'damaged', hint: 'The file could not be read', isBad: true },
  pending: { text: 'waiting …', hint: 'Symbols have not been looked for yet' },
  'not-asked': { text: 'not looked for', hint: 'Nobody has looked for its symbols' },
};

export const modules = signal<ModulesPart | null>(null);

function follow(): void {
  void [generation.value, symbolProgress.value];
  if (!opened.value) return;
  void untracked(() => ask('modules', {}, [{ ask: 'modules' }])).then((reply) => {
    if (reply) modules.value = reply.parts[0] as ModulesPart;
  });
}

const MOST_ROWS = 200;

export function ModulesTable(): JSX.Element | null {
  useSignalRun(follow);
  const part = modules.value;
  if (!part || part.modules.length === 0) return null;
  return (
    <section>
      <h2>Libraries</h2>
      {part.named !== null && <p>{percent(part.named, 1)} of the samples have names in all of their frames{part.pending > 0 ? `; ${count(part.pending)} libraries wait for symbols` : ''}.</p>}
      <div class="modules-box">
        <table class="modules">
          <thead><tr><th scope="col">Library</th><th scope="col" class="number">Samples</th><th scope="col">Symbols</th></tr></thead>
          <tbody>
            {part.modules.slice(0, MOST_ROWS).map(({ name, path, build_id: build, samples, share, state, detail }, i) => (
              <tr key={i}>
                <td title={visible([path, build && `build id ${build}`].filter(Boolean).join('\n'))}>{visible(name)}</td>
                <td class="number" title={`in ${count(samples)} of ${count(part.samples)} samples`}>{percent(share, 1)}</td>
                <td class={SAYS[state].isBad ? 'bad' : ''} title={visible(detail || SAYS[state].hint)}>{SAYS[state].text}{detail && <small>{visible(detail)}</small>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {part.modules.length > MOST_ROWS && <p>… and {count(part.modules.length - MOST_ROWS)} more</p>}
    </section>
  );
}

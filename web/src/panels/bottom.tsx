// The box at the bottom: the source of a function, and beside it its instructions.
import type { JSX } from 'preact';
import { adjust, view } from '../state/store.ts';
import { nameOfFunc, namesChanged } from '../state/names.ts';
import type { BottomBox } from '../state/view.ts';
import { visible } from '../transport/texts.ts';
import { prefer, preferences } from '../theme/theme.ts';
import { Splitter } from '../widgets/splitter.tsx';
import { useCommands, useSignalRun, useSize } from '../widgets/use.ts';
import { AssemblyPane, SymbolSteps } from '../source/assembly_pane.tsx';
import { editorLink, EDITORS, isEditor } from '../source/editors.ts';
import { chooseCallSite, openCallSite } from '../source/call_sites.ts';
import { followSource, source } from '../source/source_model.ts';
import { SourcePane } from '../source/source_pane.tsx';

function adjustBox(to: Partial<BottomBox>): void {
  const { bottom } = view.peek();
  if (bottom) adjust({ bottom: { ...bottom, ...to } });
}

/** Of a file that is on this machine: the line that was gone to, in the editor that was chosen. */
function EditorLink(): JSX.Element | null {
  const { editor } = preferences.value, shown = source.value;
  const link = shown && isEditor(editor) && shown.part.origin === 'disk' ? editorLink(editor, shown.part.found, shown.goTo ?? shown.part.hottest) : null;
  return link && isEditor(editor) ? <a class="editor-link" href={link}>Open in {EDITORS[editor].title}</a> : null;
}

function Header({ bottom }: { readonly bottom: BottomBox }): JSX.Element {
  void namesChanged.value;
  const part = source.value?.part, { sourceNumbers } = preferences.value;
  const title = part?.file ? visible(part.file) : nameOfFunc(bottom.func);
  return (
    <header class="bottom-header">
      <span class="bottom-title" title={part?.found && part.found !== part.file ? `Read from ${visible(part.found)}` : title}>{title}</span>
      {part?.origin && part.origin !== 'disk' && <small class="bottom-origin">from {part.origin === 'profile' ? 'the profile' : part.origin}</small>}
      <span class="spacer" />
      <EditorLink />
      <SymbolSteps />
      <button aria-haspopup="menu" title="The lines that this was called from, the heaviest first (U goes to that)" onClick={({ currentTarget }) => void chooseCallSite(bottom, currentTarget)}>Callers ▾</button>
      <select aria-label="Numbers" title="What stands beside the lines" value={sourceNumbers} onChange={({ currentTarget }) => prefer({ sourceNumbers: currentTarget.value === 'share' ? 'share' : 'weight' })}>
        <option value="weight">Amounts</option>
        <option value="share">Shares</option>
      </select>
      <button aria-pressed={bottom.assembly} title="Instructions (a)" onClick={() => adjustBox({ assembly: !bottom.assembly })}>Assembly</button>
      <button aria-pressed={bottom.full} title={bottom.full ? 'Leave full screen (Esc)' : 'Full screen'} aria-label="Full screen" onClick={() => adjustBox({ full: !bottom.full })}>⤢</button>
      <button title="Close (Esc)" aria-label="Close the source" onClick={() => adjust({ bottom: null })}>×</button>
    </header>
  );
}

const LEAST_WIDTH = 200;

export function BottomPane(): JSX.Element | null {
  const [panes, { width }] = useSize<HTMLDivElement>();
  useSignalRun(followSource);
  useCommands('bottom', () => [
    { group: 'Source', title: 'Instructions beside the source', keys: ['A'], run: () => adjustBox({ assembly: !view.peek().bottom?.assembly }) },
    { group: 'Source', title: 'Go to the caller', keys: ['U'], when: () => view.peek().bottom !== null, run: () => void openCallSite(view.peek().bottom!) },
    { group: 'Source', title: 'Full screen', keys: [], run: () => adjustBox({ full: !view.peek().bottom?.full }) },
  ]);
  const { bottom } = view.value, { bottomHeight, sourceShare } = preferences.value;
  if (!bottom) return null;
  return (
    <section class="bottom" aria-label="Source" style={{ height: `${bottomHeight * 100}vh` }}>
      <Header bottom={bottom} />
      <div ref={panes} class="bottom-panes">
        <div class="bottom-source" style={bottom.assembly ? { flex: `0 0 ${sourceShare * 100}%` } : {}}><SourcePane /></div>
        {bottom.assembly && (
          <>
            <Splitter direction="vertical" label="Width of the source" value={sourceShare * width} least={LEAST_WIDTH} most={Math.max(LEAST_WIDTH, width - LEAST_WIDTH)} onChange={(to) => prefer({ sourceShare: to / Math.max(1, width) })} />
            <AssemblyPane />
          </>
        )}
      </div>
    </section>
  );
}

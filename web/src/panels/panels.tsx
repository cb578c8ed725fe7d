// Which panel is shown.
import type { JSX } from 'preact';
import { view } from '../state/store.ts';
import type { Panel } from '../state/view.ts';
import { CallTree } from './call_tree.tsx';
import { Guard } from '../widgets/guard.tsx';
import { lazy } from '../widgets/lazy.tsx';

const LAZY = {
  functions: lazy(async () => (await import('../frame/later.ts')).Functions),
  'flame-graph': lazy(async () => (await import('../frame/later.ts')).FlameGraph),
  'stack-chart': lazy(async () => (await import('../frame/later.ts')).StackChart),
  'marker-chart': lazy(async () => (await import('../frame/later.ts')).MarkerChart),
  'marker-table': lazy(async () => (await import('../frame/later.ts')).MarkerTable),
  comparison: lazy(async () => (await import('../frame/later.ts')).Comparison),
};
const COMPONENTS: Record<Panel, (props: object) => JSX.Element> = { tree: CallTree, ...LAZY };

/** Before it is known what it shows. */
export function loadPanel(panel: Panel): void {
  if (panel !== 'tree') void LAZY[panel].load().catch(() => {}); // when it is shown it says what is wrong
}

export function PanelHost(): JSX.Element {
  const { panel } = view.value;
  const Component = COMPONENTS[panel];
  return (
    <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${panel}`}>
      <Guard key={panel} what="panel"><Component /></Guard>
    </div>
  );
}

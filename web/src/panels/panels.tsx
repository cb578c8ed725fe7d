// Which panel is shown.
import type { JSX } from 'preact';
import { view } from '../state/store.ts';
import type { Panel } from '../state/view.ts';
import { CallTree } from './call_tree.tsx';
import { FlameGraph } from './flame_graph.tsx';
import { Functions } from './functions.tsx';
import { MarkerChart } from './marker_chart.tsx';
import { MarkerTable } from './marker_table.tsx';
import { StackChart } from './stack_chart.tsx';
import { Guard } from '../widgets/guard.tsx';

const COMPONENTS: Record<Panel, () => JSX.Element> = {
  tree: CallTree,
  functions: Functions,
  'flame-graph': FlameGraph,
  'stack-chart': StackChart,
  'marker-chart': MarkerChart,
  'marker-table': MarkerTable,
};

export function PanelHost(): JSX.Element {
  const { panel } = view.value;
  const Component = COMPONENTS[panel];
  return (
    <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${panel}`}>
      <Guard key={panel} what="panel"><Component /></Guard>
    </div>
  );
}

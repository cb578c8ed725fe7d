// What is not on the first picture. It is loaded together, and behind it.
export { Comparison } from '../comparison/panel.tsx';
export { ComparisonSidebar } from '../comparison/details.tsx';
export { ComparisonTools } from '../comparison/tools.tsx';
export { BottomPane } from '../panels/bottom.tsx';
export { FlameGraph } from '../panels/flame_graph.tsx';
export { Functions } from '../panels/functions.tsx';
export { MarkerChart } from '../panels/marker_chart.tsx';
export { MarkerSidebar } from '../panels/marker_sidebar.tsx';
export { MarkerTable } from '../panels/marker_table.tsx';
export { MarkerTools } from '../panels/marker_tools.tsx';
export { RangeSidebar } from '../panels/range_sidebar.tsx';
export { StackChart } from '../panels/stack_chart.tsx';
export { EmbeddedTransport } from '../transport/embedded.ts';
export { ExportPanel } from './export_panel.tsx';
export { HelpDialog } from './help.tsx';
export { InfoPanel } from './info_panel.tsx';
export { PaletteDialog } from './palette.tsx';

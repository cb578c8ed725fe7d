// Panels that are drawn, which are loaded together.
export { FlameGraph } from './flame_graph.tsx';
export { Functions } from './functions.tsx';
export { StackChart } from './stack_chart.tsx';

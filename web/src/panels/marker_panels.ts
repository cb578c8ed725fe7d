// What is about markers, which is loaded together.
export { MarkerChart } from './marker_chart.tsx';
export { MarkerSidebar } from './marker_sidebar.tsx';
export { MarkerTable } from './marker_table.tsx';
export { MarkerTools } from './marker_tools.tsx';

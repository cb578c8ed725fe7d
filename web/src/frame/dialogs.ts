// What opens above the page, which is loaded together.
export { ExportPanel } from './export_panel.tsx';
export { HelpDialog } from './help.tsx';
export { InfoPanel } from './info_panel.tsx';
export { PaletteDialog } from './palette.tsx';

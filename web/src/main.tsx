import { options, render } from 'preact';
import { applyTheme } from './theme/theme.ts';
import { renderWithPanel } from './state/after_panel.ts';
import { start } from './frame/start.ts';
import { Page } from './frame/page.tsx';

options.debounceRendering = renderWithPanel;
applyTheme();
const root = document.getElementById('page')!;
render(<Page ready={false} />, root);
void start().then(() => render(<Page ready={true} />, root));

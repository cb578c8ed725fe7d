// The frame: what is where on the page.
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { adjust, announcement, change, commitPreview, failure, fatal, files, opened, panels, popRanges, select, selectThreads, view } from '../state/store.ts';
import { redo, undo } from '../state/history.ts';
import { copyText } from '../state/clipboard.ts';
import { provideCommands, runKey, type Command } from '../state/commands.ts';
import { isInvertedPanel, isMarkerPanel } from '../state/view.ts';
import { hasSidebar, prefer, preferences } from '../theme/theme.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { visibleTracks } from '../timeline/tracks.ts';
import { closeMenu, MenuHost, openMenu } from '../widgets/menu.tsx';
import { Guard } from '../widgets/guard.tsx';
import { Splitter } from '../widgets/splitter.tsx';
import { lazy } from '../widgets/lazy.tsx';
import { followShift, hideTooltip, pinTooltip, tooltip, TooltipHost } from '../widgets/tooltip.tsx';
import { PanelHost } from '../panels/panels.tsx';
import { Sidebar } from '../panels/sidebar.tsx';
import { goToPanel, SettingsBar, TabBar, TITLES } from './bars.tsx';
import { TransformBar } from './transform_bar.tsx';
import { Banner } from './banner.tsx';
import { FileList, TopBar } from './top_bar.tsx';
import { commandLine } from '../state/command_line_now.ts';
import { helpOpen, paletteOpen } from './dialog_state.ts';

const BottomPane = lazy(async () => (await import('./later.ts')).BottomPane);
const HelpDialog = lazy(async () => (await import('./later.ts')).HelpDialog);
const PaletteDialog = lazy(async () => (await import('./later.ts')).PaletteDialog);

/** Escape closes what lies on top, then lets go of what was chosen last. */
function escape(): void {
  const { preview, bottom, panel, flame } = view.peek();
  if (helpOpen.peek()) helpOpen.value = false;
  else if (paletteOpen.peek()) paletteOpen.value = false;
  else if (openMenu.peek()) closeMenu();
  else if (tooltip.peek()?.pinned) hideTooltip(true);
  else if (panel === 'flame-graph' && flame.zoom) change('The whole graph', { flame: { ...flame, zoom: null } });
  else if (tooltip.peek()) hideTooltip(true);
  else if (bottom?.full) adjust({ bottom: { ...bottom, full: false } });
  else if (preview) adjust({ preview: null });
  else if (bottom) adjust({ bottom: null });
  else if (!isMarkerPanel(panel) && panel !== 'functions' && panel !== 'comparison') select(null, isInvertedPanel(view.peek()));
}

const THEMES = ['system', 'light', 'dark'] as const;

function pageCommands(): Command[] {
  const group = 'Everywhere';
  const { inverted, idle, implementation, preview, ranges, panel, flame } = view.peek();
  const implementations = opened.peek()?.implementations ?? [];
  const isFlame = panel === 'flame-graph';
  return [
    { group, title: 'List of keys', keys: ['?'], run: () => (helpOpen.value = !helpOpen.peek()) },
    { group, title: 'Command palette', keys: ['Ctrl+k', ':'], run: () => (paletteOpen.value = true) },
    { group, title: 'Close, or dismiss', keys: ['Escape'], run: escape },
    { group, title: 'Undo', keys: ['Ctrl+z'], run: undo },
    { group, title: 'Redo', keys: ['Ctrl+Shift+z', 'Ctrl+y'], run: redo },
    ...panels.peek().map((name, i) => ({ group, title: TITLES[name], keys: [String(i + 1)], run: () => goToPanel(name) })),
    { group, title: 'Invert', keys: ['i'], run: () => (isFlame ? change('Inverted', { flame: { ...flame, inverted: !flame.inverted, zoom: null } }) : change(inverted ? 'Not inverted' : 'Inverted', { inverted: !inverted })) },
    { group, title: 'All, script or native frames', keys: ['t'], when: () => implementations.length > 1, run: () => change('Frames', { implementation: implementations[(implementations.indexOf(implementation) + 1) % implementations.length] as typeof implementation }) },
    { group, title: 'Idle samples in or out', keys: ['x'], when: () => opened.peek()?.idle === true, run: () => change(idle ? 'Idle samples are out' : 'Idle samples are in', { idle: !idle }) },
    { group: 'Timeline', title: 'Zoom to the range', keys: ['z'], when: () => preview !== null, run: commitPreview },
    { group: 'Timeline', title: 'Back to the larger range', keys: ['Backspace', 'Z'], when: () => ranges.length > 0, run: () => popRanges(ranges.length - 1) },
    { group: 'Timeline', title: 'Select all visible threads', keys: ['Ctrl+a'], run: () => selectThreads('All visible threads', visibleTracks.peek().flatMap(({ thread }) => thread ?? [])) },
    { group, title: 'Pin what is said of the thing under the pointer', keys: ['p', 'Shift'], when: () => tooltip.peek() !== null, run: () => (tooltip.peek()?.pinned ? hideTooltip(true) : pinTooltip()) },
    { group, title: 'Settings', keys: ['Ctrl+,'], run: () => document.querySelector<HTMLElement>('.settings-button')?.click() },
    { group, title: 'Copy command line', keys: [], run: () => void copyText(commandLine(), 'the command line') },
    { group, title: 'Other theme', keys: ['T'], run: () => prefer({ theme: THEMES[(THEMES.indexOf(preferences.peek().theme) + 1) % THEMES.length]! }) },
  ];
}

function Loading(): JSX.Element {
  return <main class="message"><p role="status">Reading the profile …</p></main>;
}

function StartPage(): JSX.Element {
  return (
    <main class="message">
      <h1>Sonde</h1>
      {files.value.length > 0 ? <><p>Recordings of this folder, the newest first:</p><FileList /></> : <p>There is no recording in this folder. <code>sonde record ./program</code> makes one.</p>}
    </main>
  );
}

/** Commands stand between backticks. */
const WithCode = ({ text }: { readonly text: string }): JSX.Element => <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;

function Fatal({ text }: { readonly text: string }): JSX.Element {
  return (
    <main class="message">
      <h1>Nothing can be shown</h1>
      <p role="alert"><WithCode text={text} /></p>
      <button onClick={() => void navigator.clipboard.writeText(text)}>Copy this text</button>
    </main>
  );
}

const LEAST_TIMELINE = 60, LEAST_SIDEBAR = 150;

export function Page({ ready }: { readonly ready: boolean }): JSX.Element {
  useEffect(() => provideCommands('page', pageCommands), []);
  useEffect(followShift, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => void runKey(event);
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (!opened.value) return fatal.value ? <Fatal text={fatal.value} /> : failure.value ? <Fatal text={failure.value} /> : ready ? <StartPage /> : <Loading />;
  const { sidebarWidth, timelineHeight, bottomHeight } = preferences.value;
  const { bottom, panel } = view.value;
  return (
    <div class={`page${bottom?.full ? ' bottom-full' : ''}`} onContextMenu={(event) => (event.target as Element).closest('canvas, .tree-row, .track') && event.preventDefault()}>
      <TopBar />
      <main class="content">
        <h1 class="visually-hidden">{view.value.name ?? opened.value.product ?? 'Profile'}</h1>
        <Banner />
        <div class="timeline-box" style={{ maxHeight: `${timelineHeight ?? 270}px` }}><Guard what="timeline"><Timeline /></Guard></div>
        <Splitter direction="horizontal" label="Height of the timeline" value={timelineHeight ?? 270} least={LEAST_TIMELINE} most={innerHeight - 200} onChange={(to) => prefer({ timelineHeight: to })} />
        <div class="below">
          <section class="details" aria-label="Details">
            <TabBar />
            <SettingsBar />
            <TransformBar />
            <PanelHost />
            {bottom && (
              <>
                <Splitter direction="horizontal" label="Height of the source" sign={-1} value={bottomHeight * innerHeight} least={80} most={innerHeight - 250} onChange={(to) => prefer({ bottomHeight: to / innerHeight })} />
                <Guard what="source"><BottomPane /></Guard>
              </>
            )}
          </section>
          {hasSidebar(panel) && (
            <>
              <Splitter direction="vertical" label="Width of the sidebar" sign={-1} value={sidebarWidth} least={LEAST_SIDEBAR} most={innerWidth - 400} onChange={(to) => prefer({ sidebarWidth: to })} />
              <section class="sidebar" aria-label="Sidebar" style={{ width: `${sidebarWidth}px` }}><Guard key={panel} what="sidebar"><Sidebar /></Guard></section>
            </>
          )}
        </div>
        <MenuHost />
        <TooltipHost />
      </main>
      {(failure.value || fatal.value) && <div class="failure" role="alert"><span><WithCode text={fatal.value ?? failure.value ?? ''} /></span><button aria-label="Close" onClick={() => { failure.value = null; fatal.value = null; }}>×</button></div>}
      <div class="visually-hidden" aria-live="polite">{announcement.value}</div>
      {helpOpen.value && <HelpDialog />}
      {paletteOpen.value && <PaletteDialog />}
    </div>
  );
}

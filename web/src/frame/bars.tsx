// The bars over a panel: its tabs, what filters it, and the transforms it went through.
import { useEffect, useRef } from 'preact/hooks';
import type { JSX, TargetedInputEvent } from 'preact';
import { adjust, change, opened, panels, searchFault, view } from '../state/store.ts';
import { provideCommands } from '../state/commands.ts';
import { findNext, followMatches, matches } from '../state/find.ts';
import { isMarkerPanel, type Panel } from '../state/view.ts';
import { count } from '../format/numbers.ts';
import { hasSidebar, prefer, preferences, showSidebar, type ColorBy } from '../theme/theme.ts';
import { selectedThreads } from '../timeline/tracks.ts';
import { lazy } from '../widgets/lazy.tsx';
import { SearchStep } from './search_step.tsx';

const ComparisonTools = lazy(async () => (await import('./later.ts')).ComparisonTools);
const MarkerTools = lazy(async () => (await import('./later.ts')).MarkerTools);

export const TITLES: Record<Panel, string> = {
  tree: 'Call Tree',
  functions: 'Functions',
  'flame-graph': 'Flame Graph',
  'stack-chart': 'Stack Chart',
  'marker-chart': 'Marker Chart',
  'marker-table': 'Marker Table',
  comparison: 'Comparison',
};

export function showPanel(panel: Panel): void {
  if (view.peek().panel !== panel) change(TITLES[panel], { panel });
}

/** By a key: those that follow are for the panel, wherever the focus was. */
export function goToPanel(panel: Panel): void {
  showPanel(panel);
  requestAnimationFrame(() => document.querySelector<HTMLElement>('#panel :is(.rows, .chart-scroll)')?.focus({ preventScroll: true }));
}

export function TabBar(): JSX.Element {
  const { panel } = view.value;
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const all = panels.peek(), to = all[(all.indexOf(panel) + step + all.length) % all.length]!;
    showPanel(to);
    document.getElementById(`tab-${to}`)?.focus();
  };
  return (
    <div class="tab-bar">
      <div role="tablist" aria-label="Panels" onKeyDown={onKeyDown}>
        {panels.value.map((name, i) => (
          <button key={name} id={`tab-${name}`} role="tab" aria-selected={name === panel} aria-controls="panel" tabIndex={name === panel ? 0 : -1} title={`${TITLES[name]} (${i + 1})`} onClick={() => showPanel(name)}>
            {TITLES[name]}
          </button>
        ))}
      </div>
      <button class="sidebar-button" aria-pressed={hasSidebar(panel)} title="Sidebar" aria-label="Sidebar" onClick={() => showSidebar(panel, !hasSidebar(panel))}>◧</button>
    </div>
  );
}

export function Check({ label, title, checked, onChange }: { label: string; title?: string; checked: boolean; onChange: (checked: boolean) => void }): JSX.Element {
  return (
    <label class="check" title={title}>
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} /> {label}
    </label>
  );
}

/** How many rows the search is found in, and buttons to go through them. It has its place before that is known. */
function MatchSteps(): JSX.Element | null {
  const { count: all, index } = matches.value ?? { count: 0, index: null };
  if (view.value.search === '') return null;
  return (
    <span class="match-steps">
      <span role="status">{!matches.value ? '' : all === 0 ? 'no row' : index === null ? `${count(all)} ${all === 1 ? 'row' : 'rows'}` : `${count(index + 1)} of ${count(all)}`}</span>
      <button disabled={all === 0} title="Previous match (N, or Shift+Enter in the field)" aria-label="Previous match" onClick={() => void findNext('previous')}>↑</button>
      <button disabled={all === 0} title="Next match (n, or Enter in the field)" aria-label="Next match" onClick={() => void findNext('next')}>↓</button>
    </span>
  );
}

/** One entry of the history for a whole word, not for each letter. */
const TYPING_MS = 1000;

export function SearchField({ of }: { readonly of: 'search' | 'markerSearch' }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const typed = useRef(0);
  useEffect(() => provideCommands('search', () => [
    { group: 'Everywhere', title: 'Search', keys: of === 'search' ? ['/'] : ['/', 'f'], run: () => input.current?.focus() },
    ...(of === 'search' ? [
      { group: 'Everywhere', title: 'Next match of the search', keys: ['n'], when: () => view.peek().search !== '', run: () => void findNext('next') },
      { group: 'Everywhere', title: 'Previous match of the search', keys: ['N'], when: () => view.peek().search !== '', run: () => void findNext('previous') },
    ] : []),
  ]), [of]);
  useEffect(() => (of === 'search' ? followMatches() : undefined), [of]);
  const onInput = ({ currentTarget: { value } }: TargetedInputEvent<HTMLInputElement>): void => {
    const now = performance.now(), goesOn = now - typed.current < TYPING_MS;
    typed.current = now;
    if (goesOn) adjust({ [of]: value });
    else change(value ? `Search ${value}` : 'Search cleared', { [of]: value });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      // Browsers empty the field by themselves, and say nothing of it once it has lost the focus.
      event.preventDefault();
      input.current?.blur();
    }
    if (event.key === 'Enter' && of === 'search' && view.peek().search !== '') void findNext(event.shiftKey ? 'previous' : 'next');
  };
  return (
    <div class={`search${searchFault.value ? ' wrong' : ''}`}>
      <input ref={input} type="search" value={view.value[of]} placeholder="Enter filter terms (/)" aria-label={of === 'search' ? 'Filter stacks' : 'Filter markers'}
        title={of === 'search' ? 'Terms separated by commas; -term leaves out; /regex/; lib: file: cat:' : 'Terms separated by commas; key:text; -key:text leaves out; duration:5ms..20ms'}
        onInput={onInput} onFocus={({ currentTarget }) => currentTarget.select()}
        aria-invalid={searchFault.value !== null} aria-errormessage="search-fault" onKeyDown={onKeyDown} />
      {searchFault.value && <span id="search-fault" class="search-fault" role="status">{searchFault.value}</span>}
    </div>
  );
}

const IMPLEMENTATIONS = [['combined', 'All frames'], ['js', 'Script'], ['cpp', 'Native']] as const;

const COLORS = [['usual', 'Usual colours'], ['category', 'Colour by category'], ['library', 'Colour by library'], ['function', 'Colour by function']] as const;

function ColorChoice(): JSX.Element {
  return (
    <select aria-label="Colours" title="What the colours of functions stand for: usually their categories, and their libraries where categories say nothing" value={preferences.value.colorBy} onChange={({ currentTarget }) => prefer({ colorBy: currentTarget.value as ColorBy })}>
      {COLORS.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
    </select>
  );
}

const GROUPINGS = [['none', 'Not grouped'], ['library', 'By library'], ['file', 'By file'], ['category', 'By category'], ['class', 'By class']] as const;

const STRATEGIES: Record<string, string> = {
  timing: 'Wall time',
  cpu: 'CPU time',
  'js-allocations': 'JavaScript allocations',
  'native-retained-allocations': 'Retained memory',
  'native-allocations': 'Allocated memory',
  'native-deallocations-memory': 'Deallocated memory',
  'native-deallocations-sites': 'Deallocation sites',
  'native-peak-allocations': 'Memory at the peak',
  'native-leaked-allocations': 'Leaked memory',
  'native-temporary-allocations': 'Short-lived memory',
  'page-faults': 'Page faults',
};

export function SettingsBar(): JSX.Element {
  const { panel, implementation, inverted, idle, strategy, flame, sameWidths, functionsGroup, highlightOnly, search } = view.value;
  const open = opened.value;
  if (isMarkerPanel(panel)) return <div class="settings-bar"><span class="spacer" /><MarkerTools /><SearchField of="markerSearch" /></div>;
  const strategies = [...new Set([...selectedThreads.value].flatMap((thread) => open?.threads[thread]?.strategies ?? []))];
  return (
    <div class="settings-bar">
      {panel === 'comparison' && <ComparisonTools />}
      {open && open.implementations.length > 1 && (
        <fieldset>
          <legend class="visually-hidden">Frames</legend>
          {IMPLEMENTATIONS.filter(([key]) => open.implementations.includes(key)).map(([key, text]) => (
            <label key={key}>
              <input type="radio" name="implementation" checked={implementation === key} onChange={() => change(text, { implementation: key })} /> {text}
            </label>
          ))}
        </fieldset>
      )}
      {strategies.length > 1 && panel !== 'stack-chart' && (
        <select aria-label="What is counted" value={strategy} onChange={({ currentTarget }) => change('Data source', { strategy: currentTarget.value })}>
          {strategies.map((name) => <option key={name} value={name}>{STRATEGIES[name] ?? name}</option>)}
        </select>
      )}
      {panel === 'tree' && <Check label="Invert call stack" title="From the functions that samples ended in, to their callers (i)" checked={inverted} onChange={(to) => change(to ? 'Inverted' : 'Not inverted', { inverted: to })} />}
      {panel === 'flame-graph' && <Check label="Invert" title="From the functions that samples ended in (i)" checked={flame.inverted} onChange={(to) => change('Inverted', { flame: { ...flame, inverted: to, zoom: null } })} />}
      {panel === 'flame-graph' && (
        <select aria-label="Order" value={flame.order} onChange={({ currentTarget }) => change('Order', { flame: { ...flame, order: currentTarget.value as typeof flame.order } })}>
          <option value="name">By name</option>
          <option value="weight">Left heavy</option>
          <option value="time">By first time</option>
        </select>
      )}
      {panel === 'flame-graph' && <Check label="Root at the top" checked={flame.rootOnTop ?? flame.inverted} onChange={(to) => change(to ? 'Root at the top' : 'Root at the bottom', { flame: { ...flame, rootOnTop: to === flame.inverted ? null : to } })} />}
      {panel === 'functions' && (
        <select aria-label="Group by" title="What stands for functions: calls within a group count once" value={functionsGroup} onChange={({ currentTarget }) => change('Grouped', { functionsGroup: currentTarget.value as typeof functionsGroup })}>
          {GROUPINGS.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
        </select>
      )}
      {panel === 'stack-chart' && <Check label="Same width for each stack" checked={sameWidths} onChange={(to) => change('Widths', { sameWidths: to })} />}
      {(panel === 'flame-graph' || panel === 'stack-chart') && <ColorChoice />}
      {open?.idle && <Check label="Include idle samples" checked={idle} onChange={(to) => change(to ? 'Idle samples are in' : 'Idle samples are out', { idle: to })} />}
      {search !== '' && panel !== 'comparison' && <Check label="Only highlight" title="Marks what matches, and leaves nothing out" checked={highlightOnly} onChange={(to) => change(to ? 'Only highlighted' : 'Filtered', { highlightOnly: to })} />}
      <span class="search-group">{search !== '' && <SearchStep />}{panel !== 'comparison' && <MatchSteps />}<SearchField of="search" /></span>
    </div>
  );
}

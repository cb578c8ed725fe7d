// Light and dark, rows and letters: preferences of the person, kept by the browser and the same in all of its tabs.
import { computed, effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
/** What the colours of frames stand for. */
export type ColorBy = 'usual' | 'category' | 'library' | 'function';
export type Density = 'compact' | 'normal' | 'comfortable';

interface Preferences {
  readonly theme: Theme;
  readonly density: Density;
  /** Panels whose sidebar is not as `SIDEBARS` has it. */
  readonly sidebars: Readonly<Record<string, boolean>>;
  readonly timelineHeight: number | null;
  readonly sidebarWidth: number;
  readonly bottomHeight: number;
  /** Beside lines of source and instructions. */
  readonly sourceNumbers: 'weight' | 'share';
  /** Of the source and the instructions beside it, how much the source has. */
  readonly sourceShare: number;
  /** What opens source files from the page (source/editors.ts). */
  readonly editor: string;
  readonly colourBlind: boolean;
  readonly colorBy: ColorBy;
  readonly columnWidths: Readonly<Record<string, number>>;
  /** Columns of the call tree besides the usual ones. */
  readonly treeColumns: readonly string[];
  /** Of all tracks of a kind, or of those of a name. */
  readonly trackHeights: Readonly<Record<string, number>>;
}

const KEY = 'sonde.preferences';
const USUAL: Preferences = {
  theme: 'system',
  density: 'normal',
  sidebars: {},
  timelineHeight: null,
  sidebarWidth: 300,
  bottomHeight: 0.4,
  sourceNumbers: 'weight',
  sourceShare: 0.5,
  editor: 'none',
  colourBlind: false,
  colorBy: 'usual',
  columnWidths: {},
  treeColumns: ['mix'],
  trackHeights: {},
};

function kept(): Preferences {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return USUAL; // a page in one file may have no storage, or somebody wrote to it
  }
}

export const preferences = signal<Preferences>(kept());

export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.value));
  } catch {
    // then it is as long as the page is
  }
}

/** Panels that open with one. Charts over time have none at first, so that they are as wide as the timeline. */
const SIDEBARS: readonly string[] = ['tree', 'flame-graph', 'marker-table', 'comparison'];

/** Where there is no place beside the panel it lies on it, and only when somebody opens it. */
const narrow = matchMedia('(width <= 900px)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', ({ matches }) => (isNarrow.value = matches));
const opensOver = signal(false);

export const hasSidebar = (panel: string): boolean => (isNarrow.value ? opensOver.value : (preferences.value.sidebars[panel] ?? SIDEBARS.includes(panel)));

export function showSidebar(panel: string, open: boolean): void {
  if (isNarrow.peek()) opensOver.value = open;
  else prefer({ sidebars: { ...preferences.peek().sidebars, [panel]: open } });
}

const systemDark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(systemDark.matches);
systemDark.addEventListener('change', ({ matches }) => (systemIsDark.value = matches));
addEventListener('storage', ({ key }) => {
  if (key === KEY) preferences.value = kept();
});

export const isDark = computed(() => (preferences.value.theme === 'system' ? systemIsDark.value : preferences.value.theme === 'dark'));
export const rowHeight = computed(() => ({ compact: 14, normal: 16, comfortable: 20 })[preferences.value.density]);

export function applyTheme(): void {
  effect(() => {
    const root = document.documentElement;
    root.dataset.theme = isDark.value ? 'dark' : 'light';
    root.dataset.density = preferences.value.density;
    root.style.setProperty('--row', `${rowHeight.value}px`);
    root.style.colorScheme = isDark.value ? 'dark' : 'light';
  });
}

/** Of the theme that the document has: to ask the browser has it compute all styles that have changed meanwhile. */
let cssColors = new Map<string, string>(), cssColorsOf: string | undefined;

/** A colour of the style sheet, for canvases. They draw anew when the theme changes, since they read `isDark` with it. */
export function cssColor(name: string): string {
  void isDark.value;
  const root = document.documentElement;
  if (cssColorsOf !== root.dataset.theme) {
    cssColors = new Map();
    cssColorsOf = root.dataset.theme;
  }
  let color = cssColors.get(name);
  if (color === undefined) cssColors.set(name, (color = getComputedStyle(root).getPropertyValue(name).trim()));
  return color;
}

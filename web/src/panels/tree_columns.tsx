// The columns of the call tree: how wide they are, which of them are shown, and which one sorts.
import { computed } from '@preact/signals';
import type { JSX } from 'preact';
import type { WeightType } from '../format/numbers.ts';
import { change, view } from '../state/store.ts';
import type { TreeOrder } from '../state/view.ts';
import { prefer, preferences } from '../theme/theme.ts';
import { followPointer } from '../timeline/drag.ts';
import { showMenu, type MenuEntry } from '../widgets/menu.tsx';

/** Those that can be shown besides. */
export const MORE_COLUMNS = ['self-share', 'anywhere', 'mix'] as const;
export type MoreColumn = (typeof MORE_COLUMNS)[number];

const MENU: Record<MoreColumn, { readonly title: string; readonly hint: string }> = {
  'self-share': { title: 'Self in percent', hint: 'What ran in the function itself, of everything in the tree' },
  anywhere: { title: 'Total of the function, wherever it is', hint: 'What ran in the function and below it in all of the tree; a recursion counts once' },
  mix: { title: 'Categories behind the percentage', hint: 'What ran in the function and below it, by category' },
};

export const hasColumn = (column: MoreColumn): boolean => preferences.value.treeColumns.includes(column);

function toggle(column: MoreColumn): void {
  const { treeColumns } = preferences.peek();
  prefer({ treeColumns: treeColumns.includes(column) ? treeColumns.filter((other) => other !== column) : [...treeColumns, column] });
}

type Resizable = 'total' | 'self' | 'anywhere';

const SHARE_WIDTH = 55, LEAST_WIDTH = 40, MOST_WIDTH = 400;
const USUAL: Record<Resizable, readonly [usual: number, bytes: number]> = { total: [75, 110], self: [75, 100], anywhere: [80, 110] };

function widthOf(column: Resizable, type: WeightType): number {
  const [usual, bytes] = USUAL[column];
  return preferences.value.columnWidths[`tree.${column}`] ?? Math.round((type === 'bytes' ? bytes : usual) * scaleOfText.value);
}

/** Letters of the largest rows are larger. */
const scaleOfText = computed(() => (preferences.value.density === 'comfortable' ? 1.2 : 1));

function setWidth(column: Resizable, width: number | null): void {
  const { [`tree.${column}`]: _, ...others } = preferences.peek().columnWidths;
  prefer({ columnWidths: width === null ? others : { ...others, [`tree.${column}`]: Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, Math.round(width))) } });
}

/** For the grids of the header and of rows. */
export function treeTemplate(type: WeightType): string {
  const share = `${Math.round(SHARE_WIDTH * scaleOfText.value)}px`, px = (column: Resizable): string => `${widthOf(column, type)}px`;
  return [share, px('total'), ...(hasColumn('self-share') ? [share] : []), px('self'), ...(hasColumn('anywhere') ? [px('anywhere')] : []), 'minmax(0, 1fr)'].join(' ');
}

function Edge({ column, type, title }: { readonly column: Resizable; readonly type: WeightType; readonly title: string }): JSX.Element {
  const width = widthOf(column, type), STEP = 8;
  return (
    <span class="column-edge" role="separator" tabIndex={0} aria-orientation="vertical" aria-label={`Width of ${title}`} aria-valuenow={width} aria-valuemin={LEAST_WIDTH} aria-valuemax={MOST_WIDTH} title="Drag to resize; double click for the usual width"
      onPointerDown={(event) => event.button === 0 && followPointer(event, { move: (dx) => setWidth(column, width + dx) })} onDblClick={() => setWidth(column, null)}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        setWidth(column, width + step);
      }} />
  );
}

function sortBy(by: TreeOrder): void {
  if (view.peek().treeOrder !== by) change(`Sorted by ${by}`, { treeOrder: by });
}

function Sort({ by, title, hint }: { readonly by: TreeOrder; readonly title: string; readonly hint: string }): JSX.Element {
  const isSorted = view.value.treeOrder === by;
  return (
    <button class={isSorted ? 'sorted' : ''} aria-pressed={isSorted} aria-label={`${title}: sort by ${by}`} title={hint} onClick={() => sortBy(by)}>
      {title}{isSorted && <span aria-hidden="true"> ▾</span>}
    </button>
  );
}

function columnMenu(): MenuEntry[] {
  return [
    ...MORE_COLUMNS.map((column) => ({ ...MENU[column], checked: hasColumn(column), run: () => toggle(column) })),
    'separator' as const,
    { title: 'Usual widths', run: () => (Object.keys(USUAL) as Resizable[]).forEach((column) => setWidth(column, null)) },
  ];
}

const TITLES: Record<WeightType, string> = { samples: 'Total (samples)', 'tracing-ms': 'Running time (ms)', bytes: 'Total size (bytes)', 'page faults': 'Page faults' };
export const treeTitle = (type: WeightType): string => TITLES[type];

const TOTAL_HINT = 'What ran in the function, and in all that it called from here. The percentage is of everything in the tree.\nClick to have the largest first.';
const SELF_HINT = 'What ran in the function itself, without what it called.\nClick to have the largest first.';

export function TreeHeader({ type }: { readonly type: WeightType }): JSX.Element {
  return (
    <div class="tree-header" role="group" aria-label="Columns" onContextMenu={(event) => {
      event.preventDefault();
      showMenu(event.clientX, event.clientY, 'Columns', columnMenu());
    }}>
      <span class="number-header wide"><Sort by="total" title={TITLES[type]} hint={TOTAL_HINT} /><Edge column="total" type={type} title="total" /></span>
      {hasColumn('self-share') && <span class="number-header" title={MENU['self-share'].hint}>Self %</span>}
      <span class="number-header"><Sort by="self" title="Self" hint={SELF_HINT} /><Edge column="self" type={type} title="self" /></span>
      {hasColumn('anywhere') && <span class="number-header" title={MENU.anywhere.hint}>Anywhere<Edge column="anywhere" type={type} title="the total of the function" /></span>}
      <span class="name-header">
        <Sort by="name" title="Function" hint="Click to sort by name" />
        <Sort by="library" title="Library" hint="Click to sort by library" />
        <span class="spacer" />
        <button class="column-menu" title="More columns" aria-label="⋮ More columns" aria-haspopup="menu" onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect();
          showMenu(left, bottom, 'Columns', columnMenu());
        }}>⋮</button>
      </span>
    </div>
  );
}

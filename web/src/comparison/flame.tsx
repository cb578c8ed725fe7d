// The differential flame graph: boxes as wide as both sides need, red where more runs now, blue where less does.
import { useCallback, useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { followDrag, ScrollBox } from '../charts/scroll_box.tsx';
import { EmptyPanel } from '../panels/empty.tsx';
import { nodeCommands, openSource } from '../panels/call_node.ts';
import { provideCommands, type Command } from '../state/commands.ts';
import { view } from '../state/store.ts';
import { rowHeight } from '../theme/theme.ts';
import { Canvas } from '../widgets/canvas.tsx';
import { showMenu } from '../widgets/menu.tsx';
import { hideTooltip, showTooltip } from '../widgets/tooltip.tsx';
import type { Size } from '../widgets/use.ts';
import { boxAt, drawBoxes, type BoxLayout } from './draw.ts';
import { boxes, chosen, menuOf, nodeOf, tree, zoomed } from './model.ts';
import { chanceText, deltaText, fateOf, isChanged, parentOf, sumText, totalDelta, unitText, type ComparedTree } from './part.ts';

const scroll = signal(0), hovered = signal<number | null>(null), height = signal(0), width = signal(1);

function layout(): BoxLayout {
  const { columns } = tree.value!, zoom = zoomed.value;
  return { rowHeight: rowHeight.value, rootOnTop: view.value.inverted, scroll: Math.round(scroll.value), left: zoom === null ? 0 : columns.left[zoom]!, width: zoom === null ? 1 : columns.width[zoom]! };
}

function Tip({ now, row }: { readonly now: ComparedTree; readonly row: number }): JSX.Element {
  const { columns, names, libraries } = now, place = columns.place[row]!, fate = fateOf(now, row), unit = unitText(now);
  return (
    <div class="node-tip">
      <h2 class="tip-title">{names[place]}</h2>
      <dl>
        <dt>Difference</dt><dd>{deltaText(totalDelta(now, row), now)} {unit}{fate && ` (${fate})`}</dd>
        <dt>Base</dt><dd>{sumText(columns.base_total[row]!, now)} {unit}</dd>
        <dt>New</dt><dd>{sumText(columns.new_total[row]!, now)} {unit}</dd>
        <dt>p</dt><dd>{chanceText(columns.p[row]!)}{isChanged(now, row) ? '' : ', may be chance'}</dd>
        {libraries[place] && <><dt>Library</dt><dd>{libraries[place]}</dd></>}
      </dl>
    </div>
  );
}

function reveal(row: number): void {
  const near = tree.peek()!.columns.depth[row]! * rowHeight.peek();
  if (near < scroll.peek()) scroll.value = near;
  else if (near + rowHeight.peek() > scroll.peek() + height.peek()) scroll.value = near + rowHeight.peek() - height.peek();
}

function choose(row: number | null | undefined): void {
  if (row === null || row === undefined) return;
  chosen.value = row;
  reveal(row);
}

/** The widest of what it called; of nothing, the widest root. */
function widestChild(now: ComparedTree, row: number | null): number | undefined {
  const { depth, width: widths } = now.columns, wanted = row === null ? 0 : depth[row]! + 1;
  const children = (boxes.peek()[wanted] ?? []).filter((box) => row === null || parentOf(now, box) === row);
  return children.sort((a, b) => widths[b]! - widths[a]!)[0];
}

function neighbour(now: ComparedTree, row: number | null, step: 1 | -1): number | undefined {
  const line = row === null ? [] : (boxes.peek()[now.columns.depth[row]!] ?? []);
  return row === null ? undefined : line[line.indexOf(row) + step];
}

const zoomTo = (row: number | null): void => void (zoomed.value = row === zoomed.peek() ? null : row);

function commands(): Command[] {
  const group = 'Comparison', onTop = view.peek().inverted, now = tree.peek(), row = chosen.peek();
  const away = (): void => now! && choose(widestChild(now!, row)), back = (): void => now! && row !== null ? choose(parentOf(now!, row)) : undefined;
  const there = (): boolean => now !== null;
  return [
    { group, title: onTop ? 'Parent' : 'Widest child', keys: ['ArrowUp'], when: there, run: onTop ? back : away },
    { group, title: onTop ? 'Widest child' : 'Parent', keys: ['ArrowDown'], when: there, run: onTop ? away : back },
    { group, title: 'Box at the left', keys: ['ArrowLeft'], when: there, run: () => choose(neighbour(now!, row, -1)) },
    { group, title: 'Box at the right', keys: ['ArrowRight'], when: there, run: () => choose(neighbour(now!, row, 1)) },
    { group, title: 'Zoom to the chosen box', keys: ['z'], when: () => row !== null, run: () => zoomTo(row) },
    { group, title: 'The whole graph', keys: ['Escape'], when: () => zoomed.peek() !== null, run: () => zoomTo(null) },
    ...nodeCommands(() => nodeOf(row)),
  ];
}

function describe(now: ComparedTree, row: number): string {
  const { columns, names } = now;
  return `${names[columns.place[row]!]}, ${sumText(columns.base_total[row]!, now)} before, ${sumText(columns.new_total[row]!, now)} now, ${deltaText(totalDelta(now, row), now)} ${unitText(now)}${isChanged(now, row) ? '' : ', may be chance'}`;
}

const LEGEND = [['less-4', 'less'], ['less-2', ''], ['same', 'may be chance'], ['more-2', ''], ['more-4', 'more']] as const;

function Legend(): JSX.Element {
  return (
    <div class="compare-legend" role="note" aria-label="Colours">
      {LEGEND.map(([name, text]) => <span key={name}><i style={{ background: `var(--${name})` }} />{text}</span>)}
      <span><i class="is-new" />new</span>
      <span><i class="is-gone" />gone</span>
      <span>width: the larger side</span>
    </div>
  );
}

export function ComparisonFlame(): JSX.Element {
  useEffect(() => provideCommands('comparison', commands), []);
  const draw = useCallback((context: CanvasRenderingContext2D, size: Size, scale: number) => {
    if (tree.value) drawBoxes(context, size, scale, tree.value, boxes.value, layout(), { hovered: hovered.value, chosen: chosen.value, zoomed: zoomed.value });
  }, []);
  const under = (event: MouseEvent): number | null => {
    const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
    return tree.peek() && boxAt(tree.peek()!, boxes.peek(), layout(), { width: width.peek(), height: height.peek() }, event.clientX - left, event.clientY - top);
  };
  const hover = (event: PointerEvent): void => {
    const now = tree.peek(), row = event.buttons === 0 ? under(event) : null;
    hovered.value = row;
    if (now && row !== null) showTooltip(event.clientX, event.clientY, <Tip now={now} row={row} />);
    else hideTooltip();
  };
  const leave = (): void => {
    hovered.value = null;
    hideTooltip();
  };
  const press = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const row = under(event), onTop = view.peek().inverted;
    hideTooltip();
    followDrag(event, (_, dy) => (scroll.value = Math.max(0, scroll.peek() + (onTop ? -dy : dy))), (moved) => {
      if (moved) return;
      chosen.value = row;
      if (row !== null && (event.ctrlKey || event.metaKey)) zoomTo(row);
    });
  };
  const menu = (event: MouseEvent): void => {
    event.preventDefault();
    const row = under(event);
    if (row === null) return;
    hideTooltip();
    chosen.value = row;
    showMenu(event.clientX, event.clientY, 'Function', [{ title: zoomed.peek() === row ? 'Zoom out' : 'Zoom to this box', key: 'z', run: () => zoomTo(row) }, 'separator', ...menuOf(row)]);
  };
  const now = tree.value, row = chosen.value, label = 'Differential flame graph';
  return (
    <div class="panel-chart compare-flame">
      <Legend />
      <ScrollBox contentHeight={boxes.value.length * rowHeight.value} fromBottom={!view.value.inverted} scroll={scroll} tabIndex={0} role="group" aria-label={label} aria-describedby="compare-chosen">
        <Canvas class="chart-canvas" label={label} draw={draw} onPointerMove={hover} onPointerLeave={leave} onPointerDown={press} onContextMenu={menu} onDblClick={() => openSource(nodeOf(chosen.peek()))}
          onSize={(size) => {
            width.value = size.width;
            height.value = size.height;
          }} />
      </ScrollBox>
      <div class="chart-notes">{zoomed.value !== null && <button class="chart-note" onClick={() => zoomTo(null)} title="Back to the whole graph (Escape)">Whole graph</button>}</div>
      <div id="compare-chosen" class="visually-hidden" aria-live="polite">{now && row !== null ? describe(now, row) : ''}</div>
      {now && now.columns.depth.length === 0 && <EmptyPanel what="flame graph" />}
    </div>
  );
}

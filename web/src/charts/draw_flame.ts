// A flame graph: the rows in sight, from its root at one edge.
import type { Size } from '../widgets/use.ts';
import { BoxPainter } from './draw_boxes.ts';
import { boxAt, type Box } from './boxes.ts';
import type { FlamePicture } from './zoom_motion.ts';

export interface FlameLayout {
  readonly rowHeight: number;
  readonly rootOnTop: boolean;
  /** Pixels that are beyond the edge of the root. */
  readonly scroll: number;
}

export interface FlameMarks {
  readonly strong: readonly (Box | null)[];
  readonly selected: Box | null;
  readonly searching: boolean;
}

export const depthsInSight = ({ rowHeight, scroll }: FlameLayout, height: number): { from: number; until: number } => ({
  from: Math.max(0, Math.floor(scroll / rowHeight)),
  until: Math.ceil((scroll + height) / rowHeight),
});

export function drawFlame(context: CanvasRenderingContext2D, { width, height }: Size, scale: number, { flame, left, right }: FlamePicture, layout: FlameLayout, { strong, selected, searching }: FlameMarks): void {
  const { rowHeight, rootOnTop } = layout, scroll = Math.round(layout.scroll);
  const { from, until } = depthsInSight(layout, height);
  const painter = new BoxPainter(context, { rowHeight, scale, from: 0, until: width, searching });
  const stretch = width / (right - left), zoomed = (flame.zoom?.length ?? 0) - 1;
  for (let depth = from; depth < until; depth++) {
    const row = flame.rows.get(depth);
    if (!row) continue;
    painter.row({
      row,
      y: rootOnTop ? depth * rowHeight - scroll : height - (depth + 1) * rowHeight + scroll,
      left: (place) => (row.columns.left[place]! - left) * stretch,
      right: (place) => (row.columns.left[place]! + row.columns.width[place]! - left) * stretch,
      strong: strong.flatMap((box) => (box?.depth === depth ? box.index : [])),
      selected: new Set(selected?.depth === depth ? [selected.index] : []),
      isPale: depth < zoomed,
    });
  }
}

export function flameBoxAt({ flame, left, right }: FlamePicture, { rowHeight, rootOnTop, scroll }: FlameLayout, { width, height }: Size, x: number, y: number): Box | null {
  const depth = Math.floor((rootOnTop ? y + scroll : height - y + scroll) / rowHeight);
  return boxAt(flame.rows, depth, left + (x / width) * (right - left));
}

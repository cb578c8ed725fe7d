// The stack chart: boxes of calls over time, and at the left whose they are.
import { cssColor } from '../theme/theme.ts';
import { LABEL_WIDTH } from '../timeline/scale.ts';
import type { Range } from '../transport/protocol.ts';
import { threadName } from '../timeline/tracks.ts';
import type { Size } from '../widgets/use.ts';
import type { Box } from './boxes.ts';
import { BoxPainter, chartFont } from './draw_boxes.ts';
import { BAND_GAP, bandHeight, bandsBetween, edgesOf, type BandBox, type Stacks } from './stack_layout.ts';
import { fitterFor } from './text_fit.ts';

export interface StackView {
  readonly shown: Range;
  /** CSS pixels of time. */
  readonly timeWidth: number;
  readonly rowHeight: number;
  readonly scroll: number;
}

export interface StackMarks {
  readonly strong: readonly (BandBox | null)[];
  /** Of each band, the boxes of the selected node. */
  readonly selected: readonly (readonly Box[])[];
  readonly searching: boolean;
}

const NONE: ReadonlySet<number> = new Set();

/** From the pixels of a reply to those of the canvas. */
function edgesIn(stacks: Stacks, { shown, timeWidth }: StackView): (columns: Parameters<typeof edgesOf>[1], place: number) => readonly [number, number] {
  if (stacks.sameWidths) {
    const stretch = timeWidth / stacks.width;
    return ({ left, width }, place) => [LABEL_WIDTH + left[place]! * stretch, LABEL_WIDTH + (left[place]! + width[place]!) * stretch];
  }
  const perMs = timeWidth / (shown[1] - shown[0]);
  return (columns, place) => {
    const [start, end] = edgesOf(stacks, columns, place);
    return [LABEL_WIDTH + (start - shown[0]) * perMs, LABEL_WIDTH + (end - shown[0]) * perMs];
  };
}

const TICK_HEIGHT = 4;

/** Where samples were taken: what is between them is guessed. */
function drawTicks(context: CanvasRenderingContext2D, { range, width }: Stacks, ticks: readonly number[], { shown, timeWidth }: StackView, top: number, scale: number): void {
  context.fillStyle = cssColor('--text');
  for (const tick of ticks) {
    const x = ((range[0] + ((tick + 0.5) / width) * (range[1] - range[0]) - shown[0]) / (shown[1] - shown[0])) * timeWidth;
    if (x >= 0 && x <= timeWidth) context.fillRect(Math.round((LABEL_WIDTH + x) * scale) / scale, top, 1 / scale, TICK_HEIGHT);
  }
}

export function drawStacks(context: CanvasRenderingContext2D, { width, height }: Size, scale: number, stacks: Stacks, view: StackView, marks: StackMarks): void {
  const { rowHeight, timeWidth } = view, scroll = Math.round(view.scroll);
  const painter = new BoxPainter(context, { rowHeight, scale, from: LABEL_WIDTH, until: LABEL_WIDTH + timeWidth, searching: marks.searching });
  const edges = edgesIn(stacks, view), line = cssColor('--border'), weakText = cssColor('--weak-text'), fitter = fitterFor(context);
  for (const { band, y } of bandsBetween(stacks.bands, rowHeight, scroll, scroll + height)) {
    const { rows, levels, thread } = stacks.bands[band]!, top = y - scroll, bottom = top + bandHeight(levels, rowHeight);
    const selected = marks.selected[band] ?? [], selectedDepth = selected[0]?.depth, selectedPlaces = new Set(selected.map(({ index }) => index));
    for (let depth = Math.max(0, Math.floor(-top / rowHeight)); depth < Math.min(levels, Math.ceil((height - top) / rowHeight)); depth++) {
      const row = rows.get(depth);
      if (!row) continue;
      painter.row({
        row,
        y: top + depth * rowHeight,
        left: (place) => edges(row.columns, place)[0],
        right: (place) => edges(row.columns, place)[1],
        strong: marks.strong.flatMap((box) => (box?.band === band && box.depth === depth ? box.index : [])),
        selected: depth === selectedDepth ? selectedPlaces : NONE,
        isPale: false,
      });
    }
    if (top > -TICK_HEIGHT) drawTicks(context, stacks, stacks.bands[band]!.ticks, view, top, scale);
    context.fillStyle = weakText;
    context.font = chartFont(rowHeight);
    const name = threadName(thread);
    context.fillText(fitter.fit(name, LABEL_WIDTH - 18), 10, Math.min(Math.max(top, 0) + rowHeight / 2, bottom - BAND_GAP - rowHeight / 2));
    context.fillStyle = line;
    if (stacks.bands.length > 1 && bottom - BAND_GAP / 2 < height) context.fillRect(0, Math.round(bottom - BAND_GAP / 2), width, 1);
  }
  context.fillStyle = line;
  context.fillRect(LABEL_WIDTH - 1, 0, 1, height);
}

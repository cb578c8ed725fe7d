// The marker chart: rows of names, in them marks over time, and at the left whose they are. In CSS pixels.
import { markerPaint, categoryName, type MarkerPaint } from '../markers/paint.ts';
import { IS_MOMENT } from '../markers/marker.ts';
import { cssColor } from '../theme/theme.ts';
import { LABEL_WIDTH, RIGHT_MARGIN } from '../timeline/scale.ts';
import { NO_ID, type Range } from '../transport/protocol.ts';
import { textOf, visible } from '../transport/texts.ts';
import type { Size } from '../widgets/use.ts';
import { chartFont } from './draw_boxes.ts';
import { markEdges, marksOfRow, type MarkerGroup, type MarkerRows, type Marks } from './marker_layout.ts';
import { fitterFor, type TextFitter } from './text_fit.ts';

export interface MarkerPicture {
  readonly rows: MarkerRows;
  readonly groups: readonly MarkerGroup[];
  readonly marks: Marks;
}

export interface MarkerView {
  readonly shown: Range;
  /** CSS pixels of time. */
  readonly timeWidth: number;
  readonly rowHeight: number;
  readonly scroll: number;
}

export interface MarkerEmphasis {
  readonly hoveredRow: number | null;
  readonly hoveredGroup: MarkerGroup | null;
  /** Under the pointer, selected, with a menu: by place. */
  readonly isStrong: (place: number) => boolean;
  /** Names of threads, where there are several. */
  readonly threadName: ((thread: number) => string) | null;
}

/** Narrower intervals have no inside. */
const LEAST_BOX = 2;
const TEXT_LEFT = 3, LABEL_LEFT = 10, LABEL_GAP = 8;

const inSight = (row: number, rows: number, from: number, until: number): boolean => row < until && row + rows > from;

class MarkPainter {
  readonly #context: CanvasRenderingContext2D;
  readonly #view: MarkerView;
  readonly #marks: Marks;
  readonly #fitter: TextFitter;
  readonly #text = cssColor('--text');
  readonly #pixel: number;

  constructor(context: CanvasRenderingContext2D, view: MarkerView, marks: Marks, scale: number) {
    this.#context = context;
    this.#view = view;
    this.#marks = marks;
    this.#pixel = 1 / scale;
    context.font = chartFont(view.rowHeight);
    context.textBaseline = 'middle';
    this.#fitter = fitterFor(context);
  }

  /** The edges on the canvas, on device pixels. */
  #edges(place: number): readonly [number, number] {
    const { shown, timeWidth } = this.#view, [left, right] = markEdges(this.#marks, { shown, width: timeWidth }, place);
    const snap = (x: number): number => LABEL_WIDTH + Math.round(x / this.#pixel) * this.#pixel;
    return [snap(Math.max(-1, left)), snap(Math.min(timeWidth + 1, right))];
  }

  row(row: number, y: number): void {
    const { columns } = this.#marks, [first, end] = marksOfRow(this.#marks, row), from = LABEL_WIDTH, until = LABEL_WIDTH + this.#view.timeWidth;
    for (let place = first; place < end; place++) {
      const [left, right] = this.#edges(place);
      if (right < from || left > until) continue;
      this.mark(place, left, right, y, markerPaint(columns.category[place]!), false);
    }
  }

  strong(place: number, y: number): void {
    const [left, right] = this.#edges(place);
    if (right >= LABEL_WIDTH && left <= LABEL_WIDTH + this.#view.timeWidth) this.mark(place, left, right, y, markerPaint(this.#marks.columns.category[place]!), true);
  }

  mark(place: number, left: number, right: number, y: number, paint: MarkerPaint, isStrong: boolean): void {
    const context = this.#context, { rowHeight } = this.#view, { flags, label } = this.#marks.columns, height = rowHeight - 2;
    if (flags[place]! & IS_MOMENT) {
      this.#diamond(left + this.#pixel / 2, y + rowHeight / 2, rowHeight / 2 - 2, isStrong ? paint.strong : paint.fill, isStrong ? this.#text : paint.border);
      return;
    }
    const width = Math.max(this.#pixel, right - left);
    if (width <= LEAST_BOX) {
      context.fillStyle = isStrong ? this.#text : paint.border;
      context.fillRect(left, y + 1, width, height);
      return;
    }
    context.fillStyle = isStrong ? paint.strong : paint.fill;
    context.fillRect(left, y + 1, width, height);
    context.strokeStyle = isStrong ? this.#text : paint.border;
    context.lineWidth = this.#pixel;
    context.strokeRect(left + this.#pixel / 2, y + 1 + this.#pixel / 2, width - this.#pixel, height - this.#pixel);
    const text = label[place] === NO_ID ? '' : visible(this.#marks.labels[label[place]!] ?? '');
    if (text === '') return;
    const x = Math.max(left, LABEL_WIDTH) + TEXT_LEFT, fitted = this.#fitter.fit(text, Math.min(right, LABEL_WIDTH + this.#view.timeWidth) - x - TEXT_LEFT);
    if (fitted === '') return;
    context.fillStyle = isStrong ? paint.strongText : this.#text;
    context.fillText(fitted, x, y + rowHeight / 2 + 0.5);
  }

  #diamond(x: number, y: number, radius: number, fill: string, border: string): void {
    const context = this.#context, half = radius * 0.7;
    context.beginPath();
    context.moveTo(x, y - radius);
    context.lineTo(x + half, y);
    context.lineTo(x, y + radius);
    context.lineTo(x - half, y);
    context.closePath();
    context.fillStyle = fill;
    context.fill();
    context.strokeStyle = border;
    context.lineWidth = 1;
    context.stroke();
  }
}

interface Frame {
  readonly context: CanvasRenderingContext2D;
  readonly size: Size;
  readonly view: MarkerView;
  readonly from: number;
  readonly until: number;
  readonly y: (row: number) => number;
}

/** The triangle of a head, and the colour and name of its category. */
const TOGGLE_LEFT = LABEL_WIDTH + 5, SQUARE_LEFT = TOGGLE_LEFT + 13, NAME_LEFT = SQUARE_LEFT + 14;

function drawBuckets({ context, size, view, from, until, y }: Frame, { buckets, pinned }: MarkerRows): void {
  const line = cssColor('--border'), raised = cssColor('--odd-row'), text = cssColor('--text');
  buckets.row.forEach((row, i) => {
    if (!inSight(row, 1, from, until)) return;
    const category = buckets.category[i]!, top = y(row);
    context.fillStyle = raised;
    context.fillRect(0, top, size.width, view.rowHeight);
    context.fillStyle = line;
    context.fillRect(0, top - 1, size.width, 1);
    context.fillRect(0, top + view.rowHeight - 1, size.width, 1);
    const middle = top + view.rowHeight / 2 + 0.5;
    context.fillStyle = text;
    if (pinned && i === 0) {
      context.fillText('Pinned', TOGGLE_LEFT, middle);
      return;
    }
    context.fillText(categoryName(category), NAME_LEFT, middle);
    context.fillText(buckets.rows[i] === 1 ? '▸' : '▾', TOGGLE_LEFT, middle);
    context.fillStyle = markerPaint(category).border;
    context.fillRect(SQUARE_LEFT, top + (view.rowHeight - 9) / 2, 9, 9);
  });
}

function drawLabels({ context, view, from, until, y }: Frame, groups: readonly MarkerGroup[], { hoveredGroup, threadName }: MarkerEmphasis): void {
  const line = cssColor('--border'), text = cssColor('--text'), weak = cssColor('--weak-text'), fitter = fitterFor(context), room = LABEL_WIDTH - LABEL_LEFT - 5;
  for (const group of groups) {
    if (!inSight(group.row, group.rows, from, until)) continue;
    context.fillStyle = line;
    context.fillRect(0, y(group.row + group.rows) - 1, LABEL_WIDTH + view.timeWidth + RIGHT_MARGIN, 1);
    // The name stays in sight while any of its rows is.
    const row = Math.max(group.row, Math.min(group.row + group.rows - 1, Math.ceil(view.scroll / view.rowHeight))), top = y(row) + view.rowHeight / 2;
    const suffix = group === hoveredGroup ? `(${group.count.toLocaleString('en-US')})` : threadName ? threadName(group.thread) : '';
    const suffixWidth = suffix === '' ? 0 : Math.min(room / 2, context.measureText(suffix).width) + LABEL_GAP;
    const name = fitter.fit(textOf(group.name), room - suffixWidth);
    context.fillStyle = text;
    context.fillText(name, LABEL_LEFT, top);
    if (suffix === '') continue;
    context.fillStyle = weak;
    const at = LABEL_LEFT + context.measureText(name).width + LABEL_GAP;
    context.fillText(fitter.fit(suffix, LABEL_WIDTH - 5 - at), at, top);
  }
}

export function drawMarkers(context: CanvasRenderingContext2D, size: Size, scale: number, { rows, groups, marks }: MarkerPicture, view: MarkerView, emphasis: MarkerEmphasis): void {
  const { rowHeight, timeWidth } = view, scroll = Math.round(view.scroll);
  const from = Math.floor(scroll / rowHeight), until = Math.min(rows.rows, Math.ceil((scroll + size.height) / rowHeight));
  const frame: Frame = { context, size, view, from, until, y: (row) => row * rowHeight - scroll };
  const painter = new MarkPainter(context, view, marks, scale);
  if (emphasis.hoveredRow !== null && emphasis.hoveredGroup) {
    context.fillStyle = cssColor('--hover');
    context.fillRect(0, frame.y(emphasis.hoveredRow), size.width, rowHeight - 1);
  }
  context.save();
  context.beginPath();
  context.rect(LABEL_WIDTH, 0, timeWidth + RIGHT_MARGIN, size.height);
  context.clip();
  const strong: (readonly [place: number, row: number])[] = [];
  for (let row = from; row < until; row++) {
    painter.row(row, frame.y(row));
    const [first, end] = marksOfRow(marks, row);
    for (let place = first; place < end; place++) if (emphasis.isStrong(place)) strong.push([place, row]);
  }
  for (const [place, row] of strong) painter.strong(place, frame.y(row));
  context.restore();
  drawLabels(frame, groups, emphasis);
  drawBuckets(frame, rows);
  context.fillStyle = cssColor('--border');
  context.fillRect(LABEL_WIDTH - 1, 0, 1, Math.min(size.height, frame.y(rows.rows)));
}

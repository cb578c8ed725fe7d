// The marker chart's data, and what it does when it is clicked, pointed at, or moved by keys.
import { computed, signal, untracked } from '@preact/signals';
import type { MarkerPicture } from '../charts/draw_markers.ts';
import { bucketAt, groupAt, groupsOf, markAt, rowStarts, type MarkerRows, type Marks } from '../charts/marker_layout.ts';
import { HoverTip } from '../charts/hover_tip.ts';
import { panTimes, timeCommands, timeWidth } from '../charts/time_gestures.ts';
import { count } from '../format/numbers.ts';
import { foldAll, markerCommands, openMarkerMenu, openNameMenu, showRangeOfId, toggleFolded } from '../markers/actions.ts';
import { categoryName } from '../markers/paint.ts';
import { MarkerTip } from '../markers/details.tsx';
import { loadMarker, type MarkerPart } from '../markers/marker.ts';
import type { Command } from '../state/commands.ts';
import { adjust, ask, generation, opened, shownRange, view } from '../state/store.ts';
import { markerState, sameMarker, type MarkerId } from '../state/view.ts';
import { rowHeight } from '../theme/theme.ts';
import { LABEL_WIDTH } from '../timeline/scale.ts';
import { threadName } from '../timeline/tracks.ts';
import type { Ask, Part, QueryState, Range } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { hideTooltip, pinTooltip, showTooltip } from '../widgets/tooltip.tsx';
import type { Size } from '../widgets/use.ts';

type RowsPart = Part & MarkerRows;
type ChartPart = Part & Pick<Marks, 'range' | 'labels' | 'columns'>;

/** Rows come in blocks of so many, so that scrolling seldom asks. */
const BLOCK = 64;
/** The most that one request can be about. */
const MOST_ROWS = 10_000;

export interface PointedAt {
  readonly row: number | null;
  /** Of the mark, in the columns. */
  readonly place: number | null;
}

export class MarkerControl {
  readonly picture = signal<MarkerPicture | null>(null);
  readonly size = signal<Size>({ width: 0, height: 0 });
  readonly scroll = signal(0);
  readonly hovered = signal<PointedAt>({ row: null, place: null });
  readonly menuMarker = signal<MarkerId | null>(null);
  readonly width = computed(() => timeWidth(this.size.value.width));
  readonly contentHeight = computed(() => (this.picture.value?.rows.rows ?? 0) * rowHeight.value);
  readonly #tip = new HoverTip<MarkerPart>();
  #key = '';
  /** The marker that was chosen here: the chart stays where it is. */
  #chosen: MarkerId | null = null;
  #clicks = 0;

  readonly #block = computed(() => {
    const { height } = this.size.value, first = this.scroll.value / rowHeight.value;
    return `${Math.floor(first / BLOCK) * BLOCK}-${Math.ceil((first + height / rowHeight.value + 1) / BLOCK) * BLOCK}`;
  });

  /** To be run in an effect. The range is no part of the state: what is computed of the state stays while it changes. */
  follow(): void {
    if (!opened.value || this.size.value.width === 0) return;
    const [from, until] = this.#block.value.split('-').map(Number) as [number, number];
    const state = markerState(view.value, { preview: false });
    const { pinnedMarkers: pinned, foldedMarkers: folded } = view.value;
    const request: Ask = { ask: 'marker_chart', pinned, folded, from, until, width: Math.round(this.width.value * devicePixelRatio), range: shownRange.value };
    const key = JSON.stringify([state, request, generation.value]);
    if (key === this.#key) return;
    this.#key = key;
    untracked(() => void this.#load(state, request, from, until));
  }

  async #load(state: QueryState, request: Ask, from: number, until: number): Promise<void> {
    const reply = await ask('marker-chart', state, [{ ask: 'marker_rows', pinned: request.pinned, folded: request.folded, from, until }, request]);
    if (!reply) return;
    const [rows, { range, labels, columns }] = reply.parts as unknown as [RowsPart, ChartPart];
    const marks: Marks = { range, width: Number(request.width), labels, columns, from, starts: rowStarts(columns.row, from, until) };
    this.hovered.value = { row: null, place: null };
    this.picture.value = { rows, groups: groupsOf(rows), marks };
  }

  idOf(place: number | null): MarkerId | null {
    const columns = this.picture.peek()?.marks.columns, marker = place === null ? undefined : columns?.marker[place];
    return marker === undefined ? null : { thread: columns!.thread[place!]!, marker };
  }

  /** `x`, `y`: pixels of the canvas. */
  at(x: number, y: number): PointedAt {
    const picture = this.picture.peek(), height = rowHeight.peek(), row = Math.floor((y + this.scroll.peek()) / height);
    if (!picture || row < 0 || row >= picture.rows.rows) return { row: null, place: null };
    const time = x - LABEL_WIDTH, width = this.width.peek();
    return { row, place: time < 0 || time > width ? null : markAt(picture.marks, { shown: shownRange.peek(), width }, row, time, height / 4) };
  }

  timeAt(x: number): number | null {
    const [start, end] = shownRange.peek(), share = (x - LABEL_WIDTH) / this.width.peek();
    return share < 0 || share > 1 ? null : start + share * (end - start);
  }

  #facts(place: number, row: number): { id: MarkerId; name: string; category: number } | null {
    const id = this.idOf(place), picture = this.picture.peek();
    if (!id || !picture) return null;
    return { id, name: textOf(groupAt(picture.groups, row)?.name), category: picture.marks.columns.category[place]! };
  }

  hover({ row, place }: PointedAt, event: MouseEvent): void {
    const facts = row === null || place === null ? null : this.#facts(place, row);
    if (!facts) {
      this.#tip.hide();
      this.#showLabel(row, event);
      return;
    }
    const { id, name, category } = facts;
    this.#tip.show(event, {
      key: JSON.stringify([generation.peek(), id]),
      content: (part) => <MarkerTip name={name} category={category} part={part} />,
      load: () => loadMarker('tooltip', id),
    });
  }

  /** Names are cut to the width of their column: here they are whole. */
  #showLabel(row: number | null, event: MouseEvent): void {
    const { left } = (event.currentTarget as Element).getBoundingClientRect(), picture = this.picture.peek();
    const group = picture && row !== null && event.clientX - left < LABEL_WIDTH ? groupAt(picture.groups, row) : null;
    if (!group) return hideTooltip();
    showTooltip(event.clientX, event.clientY, <div class="marker-details"><h2>{textOf(group.name)}</h2><p class="weak">{count(group.count)} {group.count === 1 ? 'marker' : 'markers'} on {threadName(group.thread)}</p></div>);
  }

  /** The category whose head is in a row; null where there is none that can be folded. */
  categoryAt(row: number | null): string | null {
    const rows = this.picture.peek()?.rows, bucket = rows && row !== null ? bucketAt(rows, row) : null;
    return !rows || bucket === null || (rows.pinned && bucket === 0) ? null : categoryName(rows.buckets.category[bucket]!);
  }

  /** Selects it, and keeps its tooltip open, unless it is the first half of a double click. */
  async click({ place, row }: PointedAt, event: MouseEvent): Promise<void> {
    const category = this.categoryAt(row);
    if (category !== null) return toggleFolded(category);
    const id = this.idOf(place), click = ++this.#clicks;
    this.#chosen = id;
    adjust({ marker: id });
    this.#tip.hide();
    const part = id && (await loadMarker('tooltip', id));
    if (!part || click !== this.#clicks) return;
    showTooltip(event.clientX, event.clientY, <MarkerTip name="" category={-1} part={part} />);
    pinTooltip();
  }

  showRange({ place }: PointedAt): void {
    const id = this.idOf(place);
    this.#clicks++;
    hideTooltip(true);
    if (id) void showRangeOfId(id);
  }

  async menu({ place, row }: PointedAt, event: MouseEvent): Promise<void> {
    const id = this.idOf(place), picture = this.picture.peek(), group = picture && row !== null ? groupAt(picture.groups, row) : null;
    this.#tip.hide();
    if (!id && group) return openNameMenu(textOf(group.name), event);
    if (!id) return;
    this.#chosen = this.menuMarker.value = id;
    await openMarkerMenu(id, event, () => (this.menuMarker.value = null));
  }

  /** A marker that was selected elsewhere comes into sight. */
  async reveal(id: MarkerId): Promise<void> {
    if (sameMarker(id, this.#chosen)) return;
    this.#chosen = id;
    const part = await loadMarker('marker', id);
    if (!part) return;
    const row = await this.#rowOf(id, part.start), { height } = this.size.peek();
    if (row !== null) this.scrollTo((row + 0.5) * rowHeight.peek() - height / 2);
    const [start, end] = shownRange.peek(), over = part.start + (part.duration ?? 0);
    if (part.start > end || over < start) panTimes(((part.start + over - start - end) / 2 / (end - start)) * this.width.peek(), this.width.peek());
  }

  /** Rows have no index by marker: it is looked for among what there is at its moment. */
  async #rowOf(id: MarkerId, time: number): Promise<number | null> {
    const { pinnedMarkers: pinned, foldedMarkers: folded } = view.peek(), state = markerState(view.peek(), { preview: false }), range: Range = [time, time + Math.max(1e-6, Math.abs(time) * 1e-9)];
    for (let from = 0; from < (this.picture.peek()?.rows.rows ?? 1); from += MOST_ROWS) {
      const reply = await ask('marker-row', state, [{ ask: 'marker_chart', pinned, folded, from, until: from + MOST_ROWS, width: 1000, range }]);
      const columns = (reply?.parts[0] as ChartPart | undefined)?.columns;
      if (!columns) return null;
      const place = columns.marker.findIndex((marker, i) => marker === id.marker && columns.thread[i] === id.thread);
      if (place >= 0) return columns.row[place]!;
    }
    return null;
  }

  scrollTo(top: number): void {
    this.scroll.value = Math.max(0, Math.min(this.contentHeight.peek() - this.size.peek().height, top));
  }

  #foldCommands(): Command[] {
    const group = 'Marker chart', { foldedMarkers } = view.peek(), buckets = this.picture.peek()?.rows.buckets.category ?? [];
    return [
      { group, title: 'Fold all categories', keys: [], run: () => foldAll([...new Set(buckets.map(categoryName))]) },
      { group, title: 'Unfold all categories', keys: [], when: () => foldedMarkers.length > 0, run: () => foldAll([]) },
    ];
  }

  commands(): Command[] {
    return [
      ...timeCommands({ group: 'Charts', width: () => this.width.peek(), scroll: (pixels) => this.scrollTo(this.scroll.peek() + pixels), isFree: () => true }),
      ...markerCommands(),
      ...this.#foldCommands(),
    ];
  }
}

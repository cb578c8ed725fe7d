// The rows of the marker table that are in sight, and around.
import { signal } from '@preact/signals';
import { ask, view } from '../state/store.ts';
import { markerState, sameMarker, type MarkerId } from '../state/view.ts';
import { NO_ID, type Ask, type Columns, type Part, type QueryState } from '../transport/protocol.ts';
import { textOf, visible } from '../transport/texts.ts';
import { durationText, IS_CUT_OFF } from '../markers/marker.ts';
import { categoryName } from '../markers/paint.ts';
import { threadName } from '../timeline/tracks.ts';
import type { ChosenMarker } from './marker_selection.ts';

export interface TablePart extends Part {
  readonly count: number;
  readonly first: number;
  readonly anchor: number | null;
  readonly labels: readonly string[];
  /** Of the schema of all markers, where that is one: what they have there is in columns `field0` … */
  readonly fields: readonly { readonly key: string; readonly label: string; readonly format: string | null }[];
  readonly columns: Columns<'thread' | 'marker' | 'start' | 'duration' | 'flags' | 'name' | 'category' | 'details'>;
}

export interface TableRow {
  readonly start: number;
  readonly duration: string;
  readonly name: string;
  readonly thread: string;
  readonly category: string;
  readonly details: string;
}

export function rowOf({ columns, labels }: TablePart, i: number): TableRow {
  const details = columns.details[i]!;
  return {
    start: columns.start[i]!,
    duration: durationText(columns.duration[i]!, (columns.flags[i]! & IS_CUT_OFF) !== 0),
    name: textOf(columns.name[i]),
    thread: threadName(columns.thread[i]!),
    category: categoryName(columns.category[i]!),
    details: details === NO_ID ? '' : visible(labels[details] ?? ''),
  };
}

/** What a marker has in the fields of its schema. */
export const fieldsOf = ({ columns, labels, fields }: TablePart, i: number): string[] =>
  fields.map((_, field) => {
    const place = (columns as Columns)[`field${field}`]![i]!;
    return place === NO_ID ? '' : visible(labels[place] ?? '');
  });

/** A marker that was cut off, and a moment, have none. */
const durationOf = ({ columns }: TablePart, i: number): number => ((columns.flags[i]! & IS_CUT_OFF) !== 0 ? NaN : columns.duration[i]!);

const MARGIN = 60;
const MOST_ROWS = 10_000;

export class MarkerTableModel {
  readonly rows = signal<TablePart | null>(null);
  visibleRows = 40;
  #state: QueryState = {};
  #sort: readonly string[] = [];

  async #load(lane: string, place: { readonly anchor: readonly number[] } | { readonly row: number }): Promise<TablePart | undefined> {
    const request: Ask = { ask: 'marker_table', sorted_by: this.#sort, fields: true, before: MARGIN + this.visibleRows, after: MARGIN + 2 * this.visibleRows, ...place };
    const reply = await ask(lane, this.#state, [request]);
    const part = reply?.parts[0] as TablePart | undefined;
    if (part) this.rows.value = part;
    return part;
  }

  /** What the view says now, around the selected marker or from the first row on. */
  refresh(): Promise<TablePart | undefined> {
    const { marker, markerSort } = view.peek();
    this.#state = markerState(view.peek());
    this.#sort = markerSort;
    return this.#load('marker-table', marker ? { anchor: [marker.thread, marker.marker] } : { row: 0 });
  }

  async scroll(row: number): Promise<void> {
    await this.#load('scroll', { row });
  }

  /** Loads what is around a marker, and says in which row it is. */
  async find({ thread, marker }: MarkerId): Promise<number | null> {
    return (await this.#load('marker-table', { anchor: [thread, marker] }))?.anchor ?? null;
  }

  /** Rows from one to another, no more than are given at once. */
  async between(first: number, last: number): Promise<readonly ChosenMarker[] | undefined> {
    const request: Ask = { ask: 'marker_table', sorted_by: this.#sort, row: first, before: 0, after: Math.min(MOST_ROWS, last - first + 1) };
    const part = (await ask('marker-choice', this.#state, [request]))?.parts[0] as TablePart | undefined;
    return part && Array.from(part.columns.marker, (marker, i) => ({ id: { thread: part.columns.thread[i]!, marker }, duration: durationOf(part, i) }));
  }

  /** The marker of a row; null where it is not there yet. */
  markerOfRow(row: number): ChosenMarker | null {
    const i = this.place(row), part = this.rows.peek(), id = this.idOfRow(row);
    return i === undefined || !part || !id ? null : { id, duration: durationOf(part, i) };
  }

  /** Undefined where the row is not there yet. */
  place(row: number): number | undefined {
    const part = this.rows.peek(), i = row - (part?.first ?? 0);
    return part && i >= 0 && i < part.columns.marker.length ? i : undefined;
  }

  idOfRow(row: number): MarkerId | null {
    const i = this.place(row), columns = this.rows.peek()?.columns;
    return i === undefined || !columns ? null : { thread: columns.thread[i]!, marker: columns.marker[i]! };
  }

  rowOf(id: MarkerId | null): number | undefined {
    const part = this.rows.peek();
    if (!part || !id) return undefined;
    for (let i = 0; i < part.columns.marker.length; i++) if (sameMarker(id, { thread: part.columns.thread[i]!, marker: part.columns.marker[i]! })) return part.first + i;
    return undefined;
  }
}

// The query API (docs/api.md), as this page speaks it: requests are JSON, replies are a JSON head and columns behind it.

/** The functions from the root to a node; in the inverted tree, from the function that samples ended in. */
export type Path = readonly number[];
/** A walk through the rows that are open: see `open` in docs/api.md. */
export type Walk = readonly (number | '*' | '-')[];
/** Start and end, in milliseconds; the end is not part of it. */
export type Range = readonly [number, number];
export type Implementation = 'combined' | 'js' | 'cpp';

export interface QueryState {
  threads?: readonly number[];
  range?: Range | null;
  preview?: Range | null;
  transforms?: readonly string[];
  implementation?: Implementation;
  search?: string;
  marker_search?: string;
  inverted?: boolean;
  idle?: boolean;
  strategy?: string;
  /** Of numbers of functions. */
  generation?: number | undefined;
}

export interface Ask {
  readonly ask: string;
  readonly [field: string]: unknown;
}

export interface Request {
  readonly seq: number;
  readonly lane: string;
  readonly v: 1;
  readonly state: QueryState;
  readonly asks: readonly Ask[];
}

export type Column = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;
export type Columns<Names extends string = string> = { readonly [name in Names]: Column };

export interface Part {
  readonly ask: string;
  readonly columns: Columns;
}

/** Whatever a part has besides its columns is described beside the panel that asks for it. */
export interface Reply<P extends readonly Part[] = readonly Part[]> {
  readonly generation: number;
  readonly state?: QueryState;
  readonly parts: P;
  readonly strings: { readonly ids: readonly number[]; readonly texts: readonly string[]; readonly cut: readonly number[] };
}

/** An id that stands for no text, and a place that stands for no category. */
export const NO_ID = 0xffffffff;
export const NO_CATEGORY = 0xffff;

export class ApiError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Placed {
  readonly type: 'u8' | 'u16' | 'u32' | 'f32' | 'f64';
  readonly offset: number;
  readonly count: number;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

/** Puts the columns, which a head only names the places of, where they are named: in `columns` of parts and of what is in parts. */
function placeColumns(value: unknown, buffer: ArrayBuffer, base: number): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'columns') {
      placeColumns(inner, buffer, base);
      continue;
    }
    const columns = inner as Record<string, Placed | Column>;
    for (const [name, column] of Object.entries(columns)) {
      const { type, offset, count } = column as Placed;
      columns[name] = new ARRAYS[type](buffer, base + offset, count);
    }
  }
}

/** Throws an ApiError where the reply says that the request was refused. */
export function readReply(buffer: ArrayBuffer): Reply {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  if (head.error) throw new ApiError(head.error.code, head.error.message);
  placeColumns(head.parts, buffer, 4 + length);
  return head as Reply;
}

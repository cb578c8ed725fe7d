// What `open` says of a profile: everything that does not depend on the view.
import type { Part, Path, Range, Walk } from '../transport/protocol.ts';

export interface Category {
  readonly name: string;
  readonly color: string;
  readonly subcategories: readonly string[];
  /** Stacks that end in a frame of it. */
  readonly stacks: number;
}

export interface Thread {
  readonly name: string;
  readonly process: string | null;
  readonly process_type: string;
  readonly pid: string;
  readonly tid: string;
  readonly main: boolean;
  readonly samples: number;
  readonly markers: number;
  readonly cpu_ms: number | null;
  readonly registered: number | null;
  readonly unregistered: number | null;
  readonly strategies: readonly string[];
}

export interface Counter {
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly pid: string;
  readonly thread: number;
  readonly display: Readonly<Record<string, unknown>> | null;
}

export interface LocalTrack {
  readonly thread?: number;
  readonly counter?: number;
  readonly visible: boolean;
}

/** A process: its main thread stands for it. */
export interface ProcessTrack {
  readonly pid: string;
  readonly name: string | null;
  readonly thread: number | null;
  readonly visible: boolean;
  readonly tracks: readonly LocalTrack[];
}

/** The record of the capture; which of it is there depends on who recorded. */
export interface Quality {
  readonly notes?: readonly string[];
  readonly [figure: string]: unknown;
}

export interface Opened extends Part {
  readonly product: string;
  readonly interval: number;
  readonly start_time: number;
  readonly symbolicated: boolean;
  readonly cpu_unit: string | null;
  readonly zero: number;
  readonly range: Range;
  /** What the file says of the program and its machine. */
  readonly facts: Readonly<Record<string, string | number>>;
  readonly quality: Quality | null;
  readonly categories: readonly Category[];
  readonly threads: readonly Thread[];
  readonly counters: readonly Counter[];
  readonly tracks: readonly ProcessTrack[];
  readonly implementations: readonly string[];
  readonly idle: boolean;
  /** The name of the profile that this one is compared with. */
  readonly base: string | null;
  readonly first: { readonly panel: string; readonly threads: readonly number[]; readonly path: Path | null; readonly open: Walk };
}

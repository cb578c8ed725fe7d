// How requests reach an engine: three ways behind one interface, with the same bytes.
import type { QueryState, Request } from './protocol.ts';

/** A profile that can be looked at. */
export interface FileEntry {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly state: 'open' | 'listed' | 'failed';
  readonly error?: string;
}

/** What an engine says unasked. */
export type EngineEvent =
  | { readonly event: 'generation'; readonly file: number; readonly generation: number; readonly reason: string }
  | { readonly event: 'symbols'; readonly file: number; readonly done: number; readonly total: number; readonly share: number; readonly module?: string }
  | { readonly event: 'progress'; readonly file: number; readonly done: number; readonly total: number }
  | { readonly event: 'bye' };

export interface Transport {
  /** The bytes of the reply. */
  ask(file: number, request: Request): Promise<ArrayBuffer>;
  files(): Promise<readonly FileEntry[]>;
  /** A file made of the state, to be saved. */
  exportFile?(file: number, request: unknown): Promise<Blob>;
  /** The whole profile in the processed format, packed with gzip. */
  /** The threads and the range of the state as a profile of their own, in the same form. */
  partFile?(file: number, state: QueryState): Promise<Blob>;
  readonly profileFile?: (file: number) => Promise<Blob>;
  listen(listener: (event: EngineEvent) => void): void;
  /** What other programs reach this profile by, for "open in the Firefox Profiler". */
  readonly firefoxProfiler?: (file: number) => string;
}

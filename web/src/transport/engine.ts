// Who asks: one request at a time in each lane, and of those that wait meanwhile only the newest.
import { KnownReplies } from './known_replies.ts';
import { ApiError, readReply, type Ask, type QueryState, type Reply } from './protocol.ts';
import type { Transport } from './transport.ts';
import { learnTexts } from './texts.ts';

interface Waiting {
  readonly send: () => void;
  readonly drop: () => void;
}

interface Lane {
  busy: boolean;
  waiting?: Waiting;
}

/** Their replies hang on nothing but the request. */
const KNOWN_LANES: ReadonlySet<string> = new Set(['tree', 'functions', 'butterfly', 'flame', 'stack-chart', 'marker-chart', 'marker-table', 'tracks']);

export class Engine {
  readonly transport: Transport;
  readonly file: number;
  readonly #lanes = new Map<string, Lane>();
  readonly #known = new KnownReplies();
  #seq = 0;
  readonly #generation: () => number;
  /** The page asked with numbers of functions that are no longer those of the profile. */
  onOutdated: () => void = () => {};

  /** `generation` is the one that numbers of functions on the page are of; 0: not known yet. */
  constructor(transport: Transport, file: number, generation: () => number) {
    this.transport = transport;
    this.file = file;
    this.#generation = generation;
  }

  /**
   * The parts, or undefined where a newer request took this one's place, or symbols have arrived: then whoever shows something asks
   * again. A state that names its generation is answered whatever the profile has become.
   */
  async ask(lane: string, state: QueryState, asks: readonly Ask[]): Promise<Reply | undefined> {
    const queue = this.#lanes.get(lane) ?? { busy: false };
    this.#lanes.set(lane, queue);
    if (queue.busy) {
      queue.waiting?.drop();
      const isNext = await new Promise<boolean>((resolve) => {
        queue.waiting = { send: () => resolve(true), drop: () => resolve(false) };
      });
      if (!isNext) return undefined;
    }
    queue.busy = true;
    try {
      const isAny = 'generation' in state || this.#generation() === 0;
      const generation = isAny ? state.generation : this.#generation();
      const key = !isAny && KNOWN_LANES.has(lane) ? JSON.stringify([generation, state, asks]) : undefined;
      const known = key === undefined ? undefined : this.#known.find(key);
      if (known) {
        learnTexts(known);
        return known;
      }
      const bytes = await this.transport.ask(this.file, { seq: ++this.#seq, lane, v: 1, state: { ...state, generation }, asks });
      const reply = readReply(bytes);
      learnTexts(reply);
      if (isAny || reply.generation === this.#generation()) {
        if (key !== undefined) this.#known.add(key, reply, bytes.byteLength);
        return reply;
      }
      // Asked with the numbers of before, or answered while the page went on.
      if (reply.generation > this.#generation()) this.onOutdated();
      return undefined;
    } catch (error) {
      if ('generation' in state || !(error instanceof ApiError) || error.code !== 'stale') throw error;
      this.onOutdated();
      return undefined;
    } finally {
      queue.busy = false;
      const next = queue.waiting;
      queue.waiting = undefined;
      if (next) {
        queue.busy = true;
        next.send();
      }
    }
  }
}

// Who asks: one request at a time in each lane, and of those that wait meanwhile only the newest.
import { readReply, type Ask, type QueryState, type Reply } from './protocol.ts';
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

export class Engine {
  readonly transport: Transport;
  readonly file: number;
  readonly #lanes = new Map<string, Lane>();
  #seq = 0;
  /** Called with each reply, before whoever asked gets it. */
  onReply: (reply: Reply) => void = () => {};

  constructor(transport: Transport, file: number) {
    this.transport = transport;
    this.file = file;
  }

  /** The parts, or undefined where a newer request took this one's place. */
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
      const bytes = await this.transport.ask(this.file, { seq: ++this.#seq, lane, v: 1, state, asks });
      const reply = readReply(bytes);
      learnTexts(reply);
      this.onReply(reply);
      return reply;
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

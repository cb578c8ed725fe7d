// Replies to what panels asked before: what was seen already is there again without a request, after Undo or in another tab.
import type { Reply } from './protocol.ts';

const MOST_BYTES = 4_000_000;

interface Known {
  readonly reply: Reply;
  readonly bytes: number;
}

export class KnownReplies {
  readonly #known = new Map<string, Known>();
  #bytes = 0;

  find(request: string): Reply | undefined {
    const known = this.#known.get(request);
    if (!known) return undefined;
    this.#known.delete(request); // the newest are at the end
    this.#known.set(request, known);
    return known.reply;
  }

  add(request: string, reply: Reply, bytes: number): void {
    if (bytes > MOST_BYTES) return;
    this.#bytes += bytes - (this.#known.get(request)?.bytes ?? 0);
    this.#known.delete(request);
    this.#known.set(request, { reply, bytes });
    for (const [oldest, { bytes: freed }] of this.#known) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#known.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

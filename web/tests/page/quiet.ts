// What runs in a page that is tested, before anything of its own: it knows whether the page still has something to do.
//
// A page at rest waits for no reply, no frame, no timer and no part of itself. So tests wait for that state, and never for a time.

export interface Quiet {
  /** Once the page is at rest. */
  settled(): Promise<void>;
}

declare global {
  var quiet: Quiet;
}

/** Its text goes into the page: it stands alone. */
export function installQuiet(): void {
  const PATIENCE_MS = 120_000;
  /** Timers that take so long take away what is shown for a while: nobody waits for them. */
  const LONG_MS = 1000;
  const plain = { requestAnimationFrame, cancelAnimationFrame, setTimeout, clearTimeout, fetch };
  const timers = new Set<number>(), frames = new Set<number>();
  let fetches = 0, begun = 0;

  window.setTimeout = ((run: TimerHandler, ms = 0, ...args: unknown[]): number => {
    const id = plain.setTimeout.call(window, () => {
      timers.delete(id);
      if (typeof run === 'function') run(...args);
    }, ms) as unknown as number;
    if (ms < LONG_MS) timers.add(id);
    begun++;
    return id;
  }) as typeof setTimeout;
  window.clearTimeout = (id) => {
    timers.delete(Number(id));
    plain.clearTimeout.call(window, id);
  };
  window.requestAnimationFrame = (run) => {
    const id = plain.requestAnimationFrame.call(window, (now) => {
      frames.delete(id);
      run(now);
    });
    frames.add(id);
    begun++;
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    frames.delete(id);
    plain.cancelAnimationFrame.call(window, id);
  };
  window.fetch = async (...args) => {
    fetches++;
    begun++;
    try {
      const reply = await plain.fetch.apply(window, args);
      await reply.clone().arrayBuffer();
      return reply;
    } finally {
      fetches--;
    }
  };

  // An engine answers each message with one: text from a server is what it says unasked.
  const asked = new Map<WebSocket | Worker, number>();
  const asks = (to: WebSocket | Worker): void => {
    begun++;
    const before = asked.get(to);
    asked.set(to, (before ?? 0) + 1);
    if (before !== undefined) return;
    to.addEventListener('message', (event) => {
      if (typeof (event as MessageEvent).data !== 'string') asked.set(to, (asked.get(to) ?? 1) - 1);
    });
    to.addEventListener('close', () => asked.set(to, 0));
  };
  const replies = (): number => [...asked.values()].reduce((sum, each) => sum + each, fetches);
  const { send } = WebSocket.prototype, { postMessage } = Worker.prototype;
  WebSocket.prototype.send = function (data) {
    asks(this);
    return send.call(this, data);
  };
  Worker.prototype.postMessage = function (...args: unknown[]) {
    asks(this);
    return (postMessage as (...all: unknown[]) => void).apply(this, args);
  };

  const twoFrames = (): Promise<void> => new Promise((done) => plain.requestAnimationFrame.call(window, () => plain.requestAnimationFrame.call(window, () => done())));
  globalThis.quiet = {
    async settled() {
      const since = performance.now();
      for (;;) {
        await twoFrames();
        const before = begun;
        if (replies() === 0 && document.querySelector('[aria-busy=true]') === null && timers.size === 0 && frames.size === 0) {
          await twoFrames(); // sizes that changed are told in a frame
          if (begun === before) return;
        }
        if (performance.now() - since > PATIENCE_MS) throw new Error(`not at rest: waits for ${replies()} replies, ${timers.size} timers, ${frames.size} frames`);
      }
    },
  };
}

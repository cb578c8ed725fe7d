// What runs in a page that is measured, before anything of its own: it sees events, changes of the picture, and requests.

export interface Shown {
  /** Milliseconds from the event until the frame is painted in which the panel's picture changed for the last time; null: it did not. */
  readonly frame: number | null;
  /** Milliseconds from the event to the second frame after the panel's picture changed for the last time; null: it did not. */
  readonly panel: number | null;
  /** The same of everything on the page. */
  readonly page: number | null;
  readonly requests: number;
}

export interface Probe {
  /** What is measured begins with the next event. */
  arm(): void;
  /** Once nothing is asked for any more, and nothing has changed for some time. */
  settled(quietMs: number): Promise<Shown>;
  /** Milliseconds since 1970 of the second frame with rows of a tree, with a chart. */
  firstRows: number;
  firstChart: number;
  startFrames(): void;
  endFrames(): number[];
}

declare global {
  var bench: Probe;
}

/** Its text goes into the page: it stands alone. `panelSelector`: what the panel is, `rows`: its first rows. */
export function installProbe({ panelSelector, rows }: { panelSelector: string; rows: string }): void {
  const PATIENCE_MS = 60_000;
  let started = NaN, isArmed = false, frame = NaN, panel = NaN, page = NaN, changed = 0, waiting = 0, sent = 0, frames: number[] | null = null;
  const secondFrame = (run: () => void): void => void requestAnimationFrame(() => requestAnimationFrame(run));
  const plainFrame = requestAnimationFrame.bind(window);
  let isInFrame = false;
  globalThis.requestAnimationFrame = (run) =>
    plainFrame((now) => {
      isInFrame = true;
      run(now);
      isInFrame = false;
    });
  // A task that is asked for in a frame runs when the frame is painted.
  const soon = (run: () => void): void => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = run;
    port2.postMessage(null);
  };
  const painted = (run: () => void): void => (isInFrame ? soon(run) : void plainFrame(() => soon(run)));
  const onChange = (inPanel: boolean): void => {
    changed = performance.now();
    if (inPanel) painted(() => (frame = performance.now()));
    secondFrame(() => {
      page = performance.now();
      if (inPanel) panel = page;
    });
  };
  const isInPanel = (node: Node | null): boolean => ((node instanceof Element ? node : node?.parentElement)?.closest(panelSelector) ?? null) !== null;

  const epoch = (): number => performance.timeOrigin + performance.now();
  const probe: Probe = {
    firstRows: 0,
    firstChart: 0,
    arm() {
      isArmed = true;
      started = frame = panel = page = NaN;
      sent = 0;
    },
    async settled(quietMs) {
      for (const begun = performance.now(); waiting > 0 || performance.now() - changed < quietMs; await new Promise((done) => setTimeout(done, 20)))
        if (performance.now() - begun > PATIENCE_MS) throw new Error(`${waiting} requests have no answer`);
      await new Promise<void>((done) => secondFrame(done));
      isArmed = false;
      const since = (end: number): number | null => (Number.isNaN(end - started) ? null : end - started);
      return { frame: since(frame), panel: since(panel), page: since(page), requests: sent };
    },
    startFrames() {
      const deltas: number[] = (frames = []);
      let last = performance.now();
      const step = (now: number): void => {
        deltas.push(now - last);
        last = now;
        if (frames === deltas) requestAnimationFrame(step);
      };
      requestAnimationFrame((now) => {
        last = now;
        requestAnimationFrame(step);
      });
    },
    endFrames() {
      const deltas = frames ?? [];
      frames = null;
      return deltas;
    },
  };
  globalThis.bench = probe;

  for (const type of ['keydown', 'pointerdown'])
    addEventListener(type, ({ timeStamp }) => {
      if (isArmed && Number.isNaN(started)) started = timeStamp;
    }, { capture: true });

  new MutationObserver((records) => {
    onChange(records.some(({ target }) => isInPanel(target)));
    if (probe.firstRows > 0 || !document.querySelector(rows)?.textContent) return;
    probe.firstRows = NaN;
    secondFrame(() => (probe.firstRows = epoch()));
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });

  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...args) {
    onChange(isInPanel(this.canvas));
    return clearRect.apply(this, args);
  };
  CanvasRenderingContext2D.prototype.fillText = function (...args) {
    if (probe.firstChart === 0 && isInPanel(this.canvas)) {
      probe.firstChart = NaN;
      secondFrame(() => (probe.firstChart = epoch()));
    }
    return fillText.apply(this, args as Parameters<typeof fillText>);
  };
  const { drawArrays } = WebGLRenderingContext.prototype;
  WebGLRenderingContext.prototype.drawArrays = function (...args) {
    onChange(isInPanel(this.canvas as HTMLCanvasElement));
    return drawArrays.apply(this, args);
  };

  // An engine answers each message with one: text from a server is what it says unasked.
  const followed = new WeakSet<object>();
  const asks = (to: WebSocket | Worker): void => {
    waiting++;
    sent++;
    if (followed.has(to)) return;
    followed.add(to);
    to.addEventListener('message', (event) => {
      if (typeof (event as MessageEvent).data === 'string') return;
      changed = performance.now();
      waiting--;
    });
  };
  const { send } = WebSocket.prototype, { postMessage } = Worker.prototype;
  WebSocket.prototype.send = function (data) {
    asks(this);
    return send.call(this, data);
  };
  Worker.prototype.postMessage = function (...args: unknown[]) {
    asks(this);
    return (postMessage as (...all: unknown[]) => void).apply(this, args);
  };
}

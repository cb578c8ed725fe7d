// Requests beside the panel, for tracks and the sidebar: they go out once what the panel asked for is on the screen. Sending
// them costs the page a millisecond each, and the engine answers one after the other.

const PANEL_LANES: ReadonlySet<string> = new Set(['tree', 'functions', 'butterfly', 'flame', 'stack-chart', 'marker-chart', 'marker-table']);

/** Where the panel asks all the time, as while a range is dragged, the others wait no longer than this. */
const LONGEST_WAIT_MS = 100;

let asked = 0, waitingSince = 0;
/** The last wish of each lane. */
const waiting = new Map<string, () => void>();

function runWaiting(): void {
  const isLate = performance.now() - waitingSince > LONGEST_WAIT_MS;
  if (waiting.size === 0 || (asked > 0 && !isLate)) return;
  const runs = [...waiting.values()];
  waiting.clear();
  for (const run of runs) run();
}

/** Runs when the panel has nothing to wait for; a later one of the same lane takes its place. */
export function afterPanel(lane: string, run: () => void): void {
  if (waiting.size === 0) {
    waitingSince = performance.now();
    setTimeout(runWaiting, 0); // the panel may ask in the same task
  }
  waiting.set(lane, run);
}

/** Longer than this nobody waits to see that a key did something. */
const LONGEST_HOLD_MS = 30;
let held: (() => void) | undefined, holding: ReturnType<typeof setTimeout> | undefined;

function renderHeld(): void {
  clearTimeout(holding);
  const render = held;
  held = undefined;
  render?.();
}

/**
 * Renders what has changed: at once, or where the panel has asked together with the reply, so that one picture is painted in place
 * of two. Chromium handles no reply between a key that changed the page and the picture of that change: there were 14 ms in which
 * the reply was there and nobody looked at it.
 */
export function renderWithPanel(render: () => void): void {
  queueMicrotask(() => {
    if (asked === 0) return render();
    held = render;
    clearTimeout(holding);
    holding = setTimeout(renderHeld, LONGEST_HOLD_MS);
  });
}

/** Follows what a panel asks; `reply` settles in any case. */
export function followAsk<R>(lane: string, reply: Promise<R>): Promise<R> {
  if (!PANEL_LANES.has(lane)) return reply;
  asked++;
  return reply.finally(() => {
    asked--;
    if (held) queueMicrotask(renderHeld);
    requestAnimationFrame(() => setTimeout(runWaiting, 0)); // the panel's picture is painted in between
  });
}

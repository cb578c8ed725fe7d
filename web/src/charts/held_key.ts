// Keys that move a chart for as long as they are held.

let end: (() => void) | null = null;

/** Calls with the milliseconds since the last call, each frame until a key goes up. */
export function whileHeld(step: (ms: number) => void): void {
  if (end) return;
  let last = performance.now(), frame = 0;
  const run = (now: number): void => {
    step(Math.max(0, now - last));
    last = now;
    frame = requestAnimationFrame(run);
  };
  end = () => {
    cancelAnimationFrame(frame);
    removeEventListener('keyup', stop);
    removeEventListener('blur', stop);
    end = null;
  };
  const stop = (): void => end?.();
  addEventListener('keyup', stop);
  addEventListener('blur', stop);
  frame = requestAnimationFrame(run);
}

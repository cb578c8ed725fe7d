// The tooltip of what is under the pointer: what is known at once, and more where the pointer rests.
import type { JSX } from 'preact';
import { hideTooltip, showTooltip } from '../widgets/tooltip.tsx';

const REST_MS = 30, MOST_KEPT = 500;

interface Tip<D> {
  /** The same for the same thing of the same picture. */
  readonly key: string;
  readonly content: (details: D | undefined) => JSX.Element;
  readonly load: () => Promise<D | undefined>;
}

export class HoverTip<D> {
  readonly #details = new Map<string, D>();
  #key: string | null = null;
  #timer = 0;
  #at = { x: 0, y: 0 };

  show({ clientX, clientY }: MouseEvent, { key, content, load }: Tip<D>): void {
    this.#at = { x: clientX, y: clientY };
    showTooltip(clientX, clientY, content(this.#details.get(key)));
    if (key === this.#key) return;
    this.#key = key;
    clearTimeout(this.#timer);
    if (this.#details.has(key)) return;
    this.#timer = window.setTimeout(() => {
      void load().then((details) => {
        if (!details) return;
        if (this.#details.size > MOST_KEPT) this.#details.clear();
        this.#details.set(key, details);
        if (this.#key === key) showTooltip(this.#at.x, this.#at.y, content(details));
      });
    }, REST_MS);
  }

  hide(): void {
    clearTimeout(this.#timer);
    if (this.#key === null) return;
    this.#key = null;
    hideTooltip();
  }
}

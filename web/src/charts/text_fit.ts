// Text that is cut with "…" where its box ends.

const ELLIPSIS = '…';
/** Less than this says nothing. */
const LEAST_LETTERS = 3;
const MOST_TEXTS = 20_000;

/** Widths in one font: of whole texts, and of letters for those that are cut. */
export class TextFitter {
  readonly #measure: (text: string) => number;
  readonly #widths = new Map<string, number>();

  constructor(measure: (text: string) => number) {
    this.#measure = measure;
  }

  #width(text: string): number {
    let width = this.#widths.get(text);
    if (width === undefined) {
      if (this.#widths.size > MOST_TEXTS) this.#widths.clear();
      this.#widths.set(text, (width = this.#measure(text)));
    }
    return width;
  }

  /** What of a text fits; empty where it would be too little. */
  fit(text: string, room: number): string {
    if (room < this.#width('i') * LEAST_LETTERS) return '';
    if (this.#width(text) <= room) return text;
    let used = this.#width(ELLIPSIS), end = 0;
    for (const letter of text) {
      used += this.#width(letter);
      if (used > room) break;
      end += letter.length;
    }
    return end < LEAST_LETTERS ? '' : text.slice(0, end) + ELLIPSIS;
  }
}

const fitters = new Map<string, TextFitter>();

/** For the font that the context has. */
export function fitterFor(context: CanvasRenderingContext2D): TextFitter {
  let fitter = fitters.get(context.font);
  if (!fitter) {
    const own = new OffscreenCanvas(1, 1).getContext('2d')!;
    own.font = context.font;
    fitter = new TextFitter((text) => own.measureText(text).width);
    fitters.set(context.font, fitter);
  }
  return fitter;
}

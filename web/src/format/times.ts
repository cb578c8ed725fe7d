// Times as somebody types them, in a command line or in the palette.

const UNITS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, min: 60_000 };

/** `1.5`, `300ms`: milliseconds. Without a unit it is one of `unit`. NaN: it is no time. */
export function readTime(text: string, unit = 's'): number {
  const found = /^(\d+(?:\.\d*)?|\.\d+)\s*([a-zµμ]*)$/.exec(text.trim());
  return found ? Number(found[1]) * (UNITS[found[2] || unit] ?? NaN) : NaN;
}

export const unitIn = (text: string): string | undefined => /[a-zµμ]+$/.exec(text.trim())?.[0];

// Colours of categories: by the names that profiles use, and by library where all of a program is one category.
import { isDark, preferences } from './theme.ts';

interface Style {
  readonly strong: readonly [light: string, dark: string];
  /** Of fills in the timeline: the highest is at the bottom. 0 is not drawn. */
  readonly gravity: number;
}

const STYLES: Record<string, Style> = {
  transparent: { strong: ['#b1b1b3', '#737373'], gravity: 0 },
  lightblue: { strong: ['#45a1ff', '#45a1ff'], gravity: 1 },
  red: { strong: ['#d70022', '#d70022'], gravity: 1 },
  lightred: { strong: ['#a4000f', '#c4404f'], gravity: 1 },
  orange: { strong: ['#ff9400', '#d76e00'], gravity: 2 },
  blue: { strong: ['#0060df', '#3b82f0'], gravity: 3 },
  green: { strong: ['#12bc00', '#058b00'], gravity: 4 },
  purple: { strong: ['#6200a4', '#8a00eb'], gravity: 5 },
  yellow: { strong: ['#ffe129', '#be9b00'], gravity: 6 },
  brown: { strong: ['#a44900', '#a44900'], gravity: 7 },
  magenta: { strong: ['#ed00b5', '#b5007f'], gravity: 8 },
  lightgreen: { strong: ['#30e60b', '#058b00'], gravity: 9 },
  grey: { strong: ['#b1b1b3', '#737373'], gravity: 10 },
  darkgrey: { strong: ['#737373', '#4a4a4f'], gravity: 11 },
};

/** Told apart by who confuses red and green: the palette of Okabe and Ito, lighter and darker where it has too few. */
const TELLING: Record<string, string> = {
  transparent: '#b1b1b3',
  lightblue: '#56b4e9',
  red: '#d55e00',
  lightred: '#a34700',
  orange: '#e69f00',
  blue: '#0072b2',
  green: '#009e73',
  purple: '#5b3a8c',
  yellow: '#f0e442',
  brown: '#7a5a2b',
  magenta: '#cc79a7',
  lightgreen: '#7fd8bd',
};

const GREY = STYLES.grey!;
const styleOf = (color: string): Style => STYLES[color.replace('gray', 'grey')] ?? GREY;

const WEAK_ALPHA = '60';

export interface Paint {
  readonly strong: string;
  readonly weak: string;
  /** Text on the strong colour. */
  readonly text: string;
}

function luminance(hex: string): number {
  const channel = (at: number): number => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

const paint = (hex: string): Paint => ({ strong: hex, weak: hex + WEAK_ALPHA, text: luminance(hex) > 0.18 ? '#000' : '#fff' });

export function categoryPaint(color: string): Paint {
  const usual = styleOf(color).strong[isDark.value ? 1 : 0];
  return paint(preferences.value.colourBlind ? (TELLING[color] ?? usual) : usual);
}

export const gravityOf = (color: string): number => styleOf(color).gravity;

/** What belongs to the system is duller than the program itself. */
const SYSTEM = /^(ld-|ld\.|lib(c|m|pthread|stdc\+\+|gcc_s|dl|rt)[.-]|\[|kernel|vmlinux|linux-vdso)/;

function hueOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return ((hash >>> 0) % 12) * 30 + 15;
}

function hslToHex(h: number, s: number, l: number): string {
  const a = s * Math.min(l, 1 - l);
  const channel = (n: number): string => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))).toString(16).padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

const libraryPaints = new Map<string, Paint>();

/** One of twelve hues, always the same for a name, whatever else there is. */
export function libraryPaint(library: string): Paint {
  const key = `${library}\0${isDark.value}`;
  let found = libraryPaints.get(key);
  if (!found) {
    const isSystem = SYSTEM.test(library);
    found = library === '' ? categoryPaint('grey') : paint(hslToHex(hueOf(library), isSystem ? 0.16 : 0.62, isDark.value ? 0.42 : 0.6));
    libraryPaints.set(key, found);
  }
  return found;
}

// The palette: colours of categories by the names that profiles use, and those that are made of any name.
import { mix, oklch, textOn } from './color_math.ts';

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

/** Of a box in a chart: so much of the strong colour, so that a box that stands out is seen. */
const BOX_SHARE = 0.6;
const BEHIND = ['#ffffff', '#18181a'] as const;

export interface Paint {
  readonly strong: string;
  readonly weak: string;
  /** Text on the strong colour. */
  readonly text: string;
  readonly box: string;
  readonly boxText: string;
}

export function paintOf(hex: string, dark: boolean): Paint {
  const box = mix(hex, BOX_SHARE, BEHIND[dark ? 1 : 0]);
  return { strong: hex, weak: hex + WEAK_ALPHA, text: textOn(hex), box, boxText: textOn(box) };
}

export const COLORS = Object.keys(STYLES);

export function categoryHex(color: string, dark: boolean, telling: boolean): string {
  const usual = styleOf(color).strong[dark ? 1 : 0];
  return telling ? (TELLING[color] ?? usual) : usual;
}

export const gravityOf = (color: string): number => styleOf(color).gravity;

/** What belongs to the system is duller than the program itself. */
const SYSTEM = /^(ld-|ld\.|lib(c|m|pthread|stdc\+\+|gcc_s|dl|rt)[.-]|\[|kernel|vmlinux|linux-vdso)/;

function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const HUES = 12;
const DULL = 0.025, VIVID = 0.125;

/** One of twelve hues that look equally light, always the same for a name, whatever else there is. `shade`: from -1 to 1. */
export function nameHex(name: string, dark: boolean, shade = 0): string {
  const hue = ((hashOf(name) % HUES) * 360) / HUES + 20;
  return oklch((dark ? 0.62 : 0.74) + 0.07 * shade, SYSTEM.test(name) ? DULL : VIVID, hue);
}

/** Functions of a library differ a little, so that boxes side by side are told apart. */
const SHADES = 5;
export const shadeOf = (func: string): number => (func === '' ? 0 : ((hashOf(func) % SHADES) - (SHADES - 1) / 2) / ((SHADES - 1) / 2));

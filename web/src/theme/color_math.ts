// Colours as numbers: how light they are, what lies between two of them, and hues that look equally light.

type Channels = readonly [red: number, green: number, blue: number];

const channelsOf = (hex: string): Channels => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255) as unknown as Channels;
const hexOf = (channels: readonly number[]): string => `#${channels.map((value) => Math.round(255 * Math.max(0, Math.min(1, value))).toString(16).padStart(2, '0')).join('')}`;

const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encoded = (value: number): number => (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

/** As WCAG has it: from 0 for black to 1 for white. */
export function luminance(hex: string): number {
  const [red, green, blue] = channelsOf(hex);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** From 1, which is none, to 21. */
export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Black or white, whichever is read better on it. */
export const textOn = (hex: string): string => (luminance(hex) > 0.179 ? '#000000' : '#ffffff');

/** So much of a colour, the rest what is behind it. */
export function mix(hex: string, share: number, behind: string): string {
  const under = channelsOf(behind);
  return hexOf(channelsOf(hex).map((value, i) => share * value + (1 - share) * under[i]!));
}

/** Of the space OKLCH: colours of one lightness look equally light, whatever their hue (in degrees) is. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  const a = chroma * Math.cos((hue * Math.PI) / 180), b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return hexOf([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((value) => encoded(Math.max(0, value))));
}

// A plot on two logarithmic axes, as SVG: a straight line of slope 1 is a linear cost.

export type Point = { x: number; y: number };
export type Line = { name: string; color: string; points: Point[] };

const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 70;
const RIGHT = 170;
const TOP = 20;
const BOTTOM = 50;

const decades = (low: number, high: number): number[] => {
  const powers: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) powers.push(10 ** power);
  return powers;
};

const short = (value: number): string =>
  value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : value >= 1 ? `${value}` : value.toPrecision(1);

export function plot(xTitle: string, yTitle: string, lines: Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const xs = decades(Math.min(...points.map((p) => p.x)), Math.max(...points.map((p) => p.x)));
  const ys = decades(Math.min(...points.map((p) => p.y)), Math.max(...points.map((p) => p.y)));
  const place = (value: number, ticks: number[], from: number, to: number): number =>
    from + ((Math.log10(value) - Math.log10(ticks[0])) / (Math.log10(ticks.at(-1)!) - Math.log10(ticks[0]))) * (to - from);
  const x = (value: number): string => place(value, xs, LEFT, WIDTH - RIGHT).toFixed(1);
  const y = (value: number): string => place(value, ys, HEIGHT - BOTTOM, TOP).toFixed(1);

  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
  ];
  for (const tick of xs) {
    parts.push(`<path d="M${x(tick)} ${TOP}V${HEIGHT - BOTTOM}" stroke="#ddd"/>`);
    parts.push(`<text x="${x(tick)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${short(tick)}</text>`);
  }
  for (const tick of ys) {
    parts.push(`<path d="M${LEFT} ${y(tick)}H${WIDTH - RIGHT}" stroke="#ddd"/>`);
    parts.push(`<text x="${LEFT - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${short(tick)}</text>`);
  }
  parts.push(`<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${xTitle}</text>`);
  parts.push(`<text transform="translate(16 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${yTitle}</text>`);
  for (const [i, line] of lines.entries()) {
    const path = line.points.map((p, k) => `${k === 0 ? 'M' : 'L'}${x(p.x)} ${y(p.y)}`).join('');
    parts.push(`<path d="${path}" fill="none" stroke="${line.color}" stroke-width="2"/>`);
    parts.push(...line.points.map((p) => `<circle cx="${x(p.x)}" cy="${y(p.y)}" r="3" fill="${line.color}"/>`));
    parts.push(`<rect x="${WIDTH - RIGHT + 15}" y="${TOP + i * 20}" width="12" height="12" fill="${line.color}"/>`);
    parts.push(`<text x="${WIDTH - RIGHT + 33}" y="${TOP + i * 20 + 10}">${line.name}</text>`);
  }
  parts.push('</svg>');
  return parts.join('\n') + '\n';
}

// Jumps as arrows beside the instructions.
import { MOST_LANES, type Jump } from './jumps.ts';

const LANE_WIDTH = 7;
const HEAD = 3;
export const JUMPS_WIDTH = MOST_LANES * LANE_WIDTH + 10;

export interface JumpsPicture {
  readonly jumps: readonly Jump[];
  readonly rowHeight: number;
  /** Where the first row is from the upper edge. */
  readonly top: number;
  readonly height: number;
  readonly color: string;
  /** Of the jumps that leave from, or lead to, the row under the pointer. */
  readonly strongColor: string;
  readonly hovered: number | null;
}

export function drawJumps(context: CanvasRenderingContext2D, { jumps, rowHeight, top, height, color, strongColor, hovered }: JumpsPicture): void {
  const middle = (row: number): number => Math.round(top + (row + 0.5) * rowHeight) + 0.5;
  const right = JUMPS_WIDTH - 2;
  for (const { from, to, lane } of jumps) {
    const start = middle(from), end = middle(to);
    if (Math.max(start, end) < 0 || Math.min(start, end) > height) continue;
    const x = right - 6.5 - lane * LANE_WIDTH, isHovered = hovered === from || hovered === to;
    context.strokeStyle = context.fillStyle = isHovered ? strongColor : color;
    context.lineWidth = isHovered ? 1.5 : 1;
    context.beginPath();
    context.moveTo(right, start);
    context.lineTo(x, start);
    context.lineTo(x, end);
    context.lineTo(right - HEAD, end);
    context.stroke();
    context.beginPath();
    context.moveTo(right, end);
    context.lineTo(right - HEAD - 1, end - HEAD);
    context.lineTo(right - HEAD - 1, end + HEAD);
    context.fill();
  }
}

// A part of the page as a picture: its canvases where they are, and the texts beside them.
import { cssColor } from '../theme/theme.ts';

const isSeen = (element: Element): boolean => (element as HTMLElement).checkVisibility();

function drawText(context: CanvasRenderingContext2D, element: Element, left: number, top: number): void {
  const { font, color, textAlign, paddingLeft } = getComputedStyle(element), box = element.getBoundingClientRect();
  context.save();
  context.beginPath();
  context.rect(box.left - left, box.top - top, box.width, box.height);
  context.clip();
  context.font = font;
  context.fillStyle = color;
  context.textBaseline = 'middle';
  context.textAlign = textAlign === 'right' ? 'right' : 'left';
  const x = textAlign === 'right' ? box.right : box.left + parseFloat(paddingLeft);
  context.fillText(element.textContent ?? '', x - left, box.top - top + box.height / 2);
  context.restore();
}

function drawBackground(context: CanvasRenderingContext2D, element: Element, left: number, top: number): void {
  const box = element.getBoundingClientRect();
  context.fillStyle = getComputedStyle(element).backgroundColor;
  context.fillRect(box.left - left, box.top - top, box.width, box.height);
  context.fillStyle = cssColor('--border');
  context.fillRect(box.left - left, box.bottom - top - 1, box.width, 1);
}

/** `texts`, `boxes`: selectors of what is drawn with its text, and with its background. */
export async function pictureOf(root: Element, { texts = '', boxes = '' }: { readonly texts?: string; readonly boxes?: string } = {}): Promise<Blob> {
  const { left, top, width, height } = root.getBoundingClientRect(), scale = devicePixelRatio;
  const picture = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  const context = picture.getContext('2d')! as unknown as CanvasRenderingContext2D;
  context.scale(scale, scale);
  context.fillStyle = cssColor('--background');
  context.fillRect(0, 0, width, height);
  if (boxes) for (const box of root.querySelectorAll(boxes)) drawBackground(context, box, left, top);
  for (const canvas of root.querySelectorAll('canvas')) {
    const place = canvas.getBoundingClientRect();
    if (isSeen(canvas) && canvas.width > 0 && canvas.height > 0) context.drawImage(canvas, place.left - left, place.top - top, place.width, place.height);
  }
  if (texts) for (const text of root.querySelectorAll(texts)) if (isSeen(text)) drawText(context, text, left, top);
  return picture.convertToBlob({ type: 'image/png' });
}

/** All of its tracks, those that are scrolled out of sight, too. */
export const timelinePicture = (): Promise<Blob> => pictureOf(document.querySelector('.timeline')!, { texts: '.track-name > *, .notch', boxes: '.track, .timeline-header' });

/** Whether the panel draws what it shows. */
export const hasPanelPicture = (): boolean => document.querySelector('#panel canvas') !== null;
export const panelPicture = (): Promise<Blob> => pictureOf(document.querySelector('#panel')!);

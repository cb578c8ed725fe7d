// The transforms that a panel's samples went through, one after the other: each can be taken back alone, or put elsewhere.
import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { moveTransform, removeTransform, view } from '../state/store.ts';
import { namesChanged, nameOfFunc } from '../state/names.ts';
import { crumbOf, type Transform } from '../state/transforms.ts';
import { isMarkerPanel } from '../state/view.ts';
import { followPointer } from '../timeline/drag.ts';
import { selectedThreads, threadName } from '../timeline/tracks.ts';
import { showMenu } from '../widgets/menu.tsx';
import { useSize } from '../widgets/use.ts';

interface Dragged {
  readonly from: number;
  /** The gap where it would go: before the crumb of this number. */
  readonly gap: number;
}

const dragged = signal<Dragged | null>(null);

/** The place of a crumb that goes to a gap, counted without it. */
export const placeOfGap = (from: number, gap: number): number => (gap > from ? gap - 1 : gap);

function beginDrag(event: PointerEvent, from: number): void {
  const bar = (event.currentTarget as Element).closest('ol');
  if (event.button !== 0 || !bar) return;
  const boxes = [...bar.querySelectorAll<HTMLElement>('li[data-transform]')].map((crumb) => ({ i: Number(crumb.dataset.transform), box: crumb.getBoundingClientRect() }));
  followPointer(event, {
    cursor: 'grabbing',
    move: (_dx, _dy, { clientX }) => {
      const after = boxes.findLast(({ box }) => clientX > box.left + box.width / 2);
      dragged.value = { from, gap: after ? after.i + 1 : (boxes[0]?.i ?? 0) };
    },
    end: () => {
      const { gap } = dragged.peek() ?? { gap: from };
      dragged.value = null;
      moveTransform(from, placeOfGap(from, gap));
    },
  });
}

function Crumb({ transform, i, isLast }: { readonly transform: Transform; readonly i: number; readonly isLast: boolean }): JSX.Element {
  const text = crumbOf(transform, nameOfFunc), drag = dragged.value, { transforms } = view.value;
  const mark = drag?.from === i ? ' dragged' : drag && drag.gap === i ? ' drop-before' : drag && isLast && drag.gap === i + 1 ? ' drop-after' : '';
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.altKey ? { ArrowLeft: -1, ArrowRight: 1 }[event.key] : undefined;
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    moveTransform(i, i + step);
    const bar = (event.currentTarget as Element).closest('ol');
    requestAnimationFrame(() => bar?.querySelector<HTMLElement>(`[data-transform="${Math.max(0, Math.min(transforms.length - 1, i + step))}"] .crumb-remove`)?.focus());
  };
  const hint = transforms.length > 1 ? 'Drag to put it elsewhere (Alt and arrows)' : undefined;
  return (
    <li class={`crumb${mark}`} data-transform={i} title={hint} onPointerDown={(event) => beginDrag(event, i)} onKeyDown={onKeyDown}>
      {isLast ? <span aria-current="true">{text}</span> : <button onClick={() => removeTransform('Later transforms removed', i + 1, transforms.length - i - 1)}>{text}</button>}
      <button class="crumb-remove" title={`Remove only “${text}”`} aria-label={`Remove ${text}`} onPointerDown={(event) => event.stopPropagation()} onClick={() => removeTransform(`Removed: ${text}`, i)}>×</button>
    </li>
  );
}

/** Those that have no place in the line: a menu, in which a choice leads back to that one. */
function FoldedCrumbs({ count }: { readonly count: number }): JSX.Element {
  const open = (button: HTMLElement): void => {
    const { left, bottom } = button.getBoundingClientRect(), { transforms } = view.peek();
    showMenu(left, bottom, 'Transforms', transforms.slice(0, count).flatMap((transform, i) => {
      const text = crumbOf(transform, nameOfFunc);
      return [{ title: text, hint: 'Back to this one', run: () => removeTransform('Later transforms removed', i + 1, transforms.length - i - 1) }, { title: '    Remove only this one', run: () => removeTransform(`Removed: ${text}`, i) }];
    }));
  };
  return <li><button aria-haspopup="menu" onClick={({ currentTarget }) => open(currentTarget)}>{count} {count === 1 ? 'transform' : 'transforms'} ▾</button></li>;
}

function Crumbs(): JSX.Element {
  const { transforms } = view.value;
  const [bar, { width }] = useSize<HTMLOListElement>();
  const [folded, setFolded] = useState(0);
  // All are tried first; as long as the line is too long one more goes into the menu. Between, nothing is painted.
  useLayoutEffect(() => setFolded(0), [transforms, width, namesChanged.value]);
  useLayoutEffect(() => {
    const line = bar.current;
    if (line && line.scrollWidth > line.clientWidth && folded < transforms.length - 1) setFolded(folded + 1);
  }, [folded, transforms, width, namesChanged.value]);
  const names = [...selectedThreads.value].map(threadName);
  const whole = names.length === 1 ? `Complete “${names[0]}”` : `Complete ${names.length} threads`, shown = Math.min(folded, Math.max(0, transforms.length - 1));
  return (
    <ol class="transform-bar" ref={bar}>
      <li>{transforms.length === 0 ? <span aria-current="true">{whole}</span> : <button onClick={() => removeTransform('All transforms removed', 0, transforms.length)}>{whole}</button>}</li>
      {shown > 0 && <FoldedCrumbs count={shown} />}
      {transforms.map((transform, i) => i >= shown && <Crumb key={i} transform={transform} i={i} isLast={i === transforms.length - 1} />)}
    </ol>
  );
}

export function TransformBar(): JSX.Element | null {
  if (isMarkerPanel(view.value.panel)) return null;
  return <nav aria-label="Transforms"><Crumbs /></nav>;
}

// Where the pointer is in time, here or over another chart.
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { hoveredTime, shownRange } from '../state/store.ts';
import { LABEL_WIDTH } from '../timeline/scale.ts';

export function Hairline({ width }: { readonly width: number }): JSX.Element | null {
  useEffect(() => () => void (hoveredTime.value = null), []); // another panel comes, and the pointer leaves nothing
  const time = hoveredTime.value, [start, end] = shownRange.value;
  if (time === null || time < start || time > end) return null;
  return <div class="chart-hairline" style={{ transform: `translateX(${LABEL_WIDTH + ((time - start) / (end - start)) * width}px)` }} />;
}

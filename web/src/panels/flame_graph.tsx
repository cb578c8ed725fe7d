// The flame graph: the tree as boxes as wide as what ran in them.
import { useEffect, useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { useComputed } from '@preact/signals';
import { FlameCanvas } from '../charts/flame_canvas.tsx';
import { percent } from '../format/numbers.ts';
import { onFound } from '../state/find.ts';
import { view } from '../state/store.ts';
import { placeOf } from '../state/view.ts';
import { EmptyPanel } from './empty.tsx';
import { FlameControl } from './flame_control.tsx';
import { useCommands, useSignalRun } from '../widgets/use.ts';

export function FlameGraph(): JSX.Element {
  const control = useMemo(() => new FlameControl(), []);
  const { model, chart } = control;
  useSignalRun(() => model.follow());
  useEffect(() => onFound(() => control.revealSelected()), []);
  useCommands('flame-graph', () => control.commands());
  const selected = useComputed(() => placeOf(view.value, view.value.flame.inverted).selected);
  const flame = model.flame.value, { search, highlightOnly, flame: { inverted, rootOnTop } } = view.value;
  const all = model.unsearched.value;
  const matched = !flame ? '' : highlightOnly ? flame.matched !== null && percent(flame.matched, flame.rootTotal) : all !== null && percent(flame.rootTotal, all);
  return (
    <div class="panel-chart">
      <FlameCanvas chart={chart} flame={model.flame} rootOnTop={rootOnTop ?? inverted} label={inverted ? 'Inverted flame graph' : 'Flame graph'} describedBy="flame-selected" selected={selected}
        onWidth={(pixels) => (model.width.value = pixels)} onSee={(from, until) => model.see(from, until)}
        onClick={(box, event) => void control.click(box, event)} onOpen={(box) => void control.open(box)} onMenu={(box, event) => void control.menu(box, event)} onHover={(box, event) => control.hover(box, event)} />
      <div class="chart-notes">
        {flame?.zoom && <button class="chart-note" onClick={() => control.zoomOut()} title="Back to the whole graph (Escape)">Whole graph</button>}
        {search && flame && flame.levels > 0 && matched && <div class="chart-note" role="status">matched {matched}</div>}
      </div>
      <div id="flame-selected" class="visually-hidden" aria-live="polite">{control.description.value}</div>
      {flame?.levels === 0 && <EmptyPanel what="flame graph" />}
    </div>
  );
}

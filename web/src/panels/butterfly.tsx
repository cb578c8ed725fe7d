// What called a function, above it, and what it called, below: two flame graphs that grow away from it.
import { useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import { useComputed } from '@preact/signals';
import type { Box } from '../charts/boxes.ts';
import { FlameCanvas, FlameChart } from '../charts/flame_canvas.tsx';
import { HoverTip } from '../charts/hover_tip.ts';
import { percent, weightWithUnit } from '../format/numbers.ts';
import { nameOfFunc, namesChanged } from '../state/names.ts';
import { change, view } from '../state/store.ts';
import { showMenu } from '../widgets/menu.tsx';
import { Splitter } from '../widgets/splitter.tsx';
import { prefer, preferences } from '../theme/theme.ts';
import { useSignalRun, useSize } from '../widgets/use.ts';
import { ButterflyModel, type Side } from './butterfly_model.ts';
import { callNodeMenu } from './call_node.ts';
import { factsOf } from './flame_control.tsx';
import { NodeTip } from './node_tip.tsx';

const TITLES: Record<Side, string> = { callers: 'Callers', callees: 'Callees' };

/** Its boxes are calls that lead to the function, or from it: nodes of no tree, so that they have no path. */
function Half({ side, model, chart, onChoose }: { readonly side: Side; readonly model: ButterflyModel; readonly chart: FlameChart; readonly onChoose: (func: number) => void }): JSX.Element {
  const flame = model.sides[side], tip = useMemo(() => new HoverTip<never>(), []), none = useComputed(() => null);
  const name = nameOfFunc(model.butterfly.value?.func ?? -1);
  const factsAt = (box: Box | null): ReturnType<typeof factsOf> | null => {
    const shown = flame.peek();
    return shown && box && factsOf(shown, box);
  };
  const hover = (box: Box | null, event: MouseEvent): void => {
    const facts = factsAt(box), whole = model.butterfly.peek();
    if (!facts || !whole || !box) return tip.hide();
    const inAll = `${weightWithUnit(facts.total, whole.weightType)} (${percent(facts.total, whole.rootTotal)} of all)`;
    const self = side === 'callees' ? [['Self', facts.self === 0 ? '—' : weightWithUnit(facts.self, whole.weightType)] as const] : [];
    const rows = [[side === 'callers' ? 'Through it' : 'Total', inAll] as const, ...self];
    tip.show(event, {
      key: `${box.depth}.${box.index}`,
      content: () => <NodeTip {...facts} figure={percent(facts.total, whole.total)} rows={rows} facts={undefined} />,
      load: () => Promise.resolve(undefined),
    });
  };
  const menu = (box: Box, event: MouseEvent): void => {
    const facts = factsAt(box);
    if (!facts) return;
    tip.hide();
    showMenu(event.clientX, event.clientY, 'Function', callNodeMenu({ ...facts, path: [], file: '', inverted: false }), () => (chart.menu.value = null));
  };
  return (
    <div class="panel-chart">
      <FlameCanvas chart={chart} flame={flame} rootOnTop={side === 'callees'} label={`${TITLES[side]} of ${name}`} selected={none}
        onWidth={(pixels) => (model.width.value = pixels)} onSee={(_, until) => model.see(side, until)} onClick={() => {}} onHover={hover} onMenu={menu}
        onOpen={(box) => {
          const facts = factsAt(box);
          if (facts) onChoose(facts.func);
        }} />
    </div>
  );
}

const LEAST_HEIGHT = 60;

export function ButterflyView(): JSX.Element {
  const model = useMemo(() => new ButterflyModel(), []);
  const charts = useMemo(() => ({ callers: new FlameChart(), callees: new FlameChart() }), []);
  const [area, { height }] = useSize<HTMLDivElement>();
  useSignalRun(() => model.follow());
  useSignalRun(() => {
    void model.butterfly.value?.func; // another function is looked at from where it is
    charts.callers.scroll.value = charts.callees.scroll.value = 0;
  });
  void namesChanged.value;
  const choose = (func: number): void => {
    if (func !== view.peek().func) change(`Function ${nameOfFunc(func)}`, { func });
  };
  const shown = model.butterfly.value, share = preferences.value.columnWidths.callers ?? 0.5;
  return (
    <div ref={area} class="butterfly">
      <h2>
        {shown ? <><span>{nameOfFunc(shown.func)}</span> <small>{shown.total === 0 ? 'no samples of what is chosen here' : <>total {percent(shown.total, shown.rootTotal)} ({weightWithUnit(shown.total, shown.weightType)}), self {shown.self === 0 ? '—' : `${percent(shown.self, shown.rootTotal)} (${weightWithUnit(shown.self, shown.weightType)})`}</>}</small></> : 'Select a function'}
      </h2>
      <div class="butterfly-half" style={{ height: `${100 * share}%` }}><h3>Callers</h3><Half side="callers" model={model} chart={charts.callers} onChoose={choose} /></div>
      <Splitter direction="horizontal" label="Height of the callers" value={share * height} least={LEAST_HEIGHT} most={Math.max(LEAST_HEIGHT, height - LEAST_HEIGHT)}
        onChange={(to) => prefer({ columnWidths: { ...preferences.peek().columnWidths, callers: to / Math.max(1, height) } })} />
      <div class="butterfly-half callees"><h3>Callees</h3><Half side="callees" model={model} chart={charts.callees} onChoose={choose} /></div>
    </div>
  );
}

// What a flame graph does when it is clicked, pointed at, or walked through by keys.
import { computed } from '@preact/signals';
import { boxesOfPath, childrenOf, IS_INLINED, parentOf, pathOf, type Box } from '../charts/boxes.ts';
import { FlameChart } from '../charts/flame_canvas.tsx';
import { FlameModel, type Flame } from '../charts/flame_model.ts';
import { whileHeld } from '../charts/held_key.ts';
import { HoverTip } from '../charts/hover_tip.ts';
import { heldPixels } from '../charts/time_zoom.ts';
import { percent, weightWithUnit } from '../format/numbers.ts';
import { ask, change, generation, view } from '../state/store.ts';
import type { Command } from '../state/commands.ts';
import { selectAndOpen } from '../state/follow_place.ts';
import { nameOfFunc } from '../state/names.ts';
import { placeOf, queryState, samePath } from '../state/view.ts';
import type { Path } from '../transport/protocol.ts';
import { textOf } from '../transport/texts.ts';
import { showMenu } from '../widgets/menu.tsx';
import { callNodeMenu, nodeCommands, openSource, type ChosenNode } from './call_node.ts';
import { NodeTip, type NodeFacts } from './node_tip.tsx';

/** Neighbours that are narrower than this share of all are passed by. */
const LEAST_SHARE = 0.001;

interface BoxFacts {
  readonly func: number;
  readonly name: string;
  readonly library: string;
  readonly category: number;
  readonly total: number;
  readonly self: number;
  readonly inlined: boolean;
}

export function factsOf({ rows }: Flame, { depth, index }: Box): BoxFacts {
  const { columns, places } = rows.get(depth)!, place = places[index]!;
  return {
    func: columns.func[place]!, name: textOf(columns.name[place]), library: textOf(columns.library[place]), category: columns.category[place]!,
    total: columns.total[place]!, self: columns.self[place]!, inlined: (columns.flags[place]! & IS_INLINED) !== 0,
  };
}

export class FlameControl {
  readonly model = new FlameModel();
  readonly chart = new FlameChart();
  readonly #tip = new HoverTip<NodeFacts>();

  get #inverted(): boolean {
    return view.value.flame.inverted;
  }

  get #selected(): Path | null {
    return placeOf(view.value, this.#inverted).selected;
  }

  #selectedBox(): Box | null {
    const flame = this.model.flame.value, selected = this.#selected;
    return (flame && selected && boxesOfPath(flame.rows, selected)[0]) ?? null;
  }

  /** The selected box in words, for who does not see it. */
  readonly description = computed(() => {
    const flame = this.model.flame.value, box = this.#selectedBox();
    if (!flame || !box) return '';
    const { name, total } = factsOf(flame, box), parent = parentOf(flame.rows, box);
    const siblings = parent ? childrenOf(flame.rows, parent) : [];
    const among = parent ? `, child ${siblings.findIndex(({ index }) => index === box.index) + 1} of ${siblings.length} of ${factsOf(flame, parent).name}` : '';
    return `${name}, ${percent(total, flame.rootTotal)}, ${weightWithUnit(total, flame.weightType)}${among}`;
  });

  /** Of the picture, whose rows may be those of deeper ones only. */
  async #pathOf(box: Box): Promise<Path | null> {
    const flame = this.model.flame.peek();
    if (!flame) return null;
    const path = pathOf(flame.rows, box);
    if (path) return path;
    await this.model.need(0, box.depth + 1);
    const now = this.model.flame.peek();
    return now && now.zoom === flame.zoom ? pathOf(now.rows, box) : null;
  }

  #node(path: Path, flame: Flame, box: Box, file = ''): ChosenNode {
    return { path, file, inverted: flame.inverted, ...factsOf(flame, box) };
  }

  #selectedNode(): ChosenNode | null {
    const flame = this.model.flame.peek(), box = this.#selectedBox(), path = this.#selected;
    return flame && box && path ? this.#node(path, flame, box) : null;
  }

  async click(box: Box | null, event: MouseEvent): Promise<void> {
    const path = box && (await this.#pathOf(box)), { zoom } = view.peek().flame;
    if (path && (event.ctrlKey || event.metaKey)) return this.zoomTo(path);
    if (path && zoom && path.length < zoom.length) this.zoomTo(path.length > 1 ? path : null);
    selectAndOpen(path, this.#inverted);
  }

  async open(box: Box): Promise<void> {
    const flame = this.model.flame.peek(), path = await this.#pathOf(box);
    if (!flame || !path) return;
    selectAndOpen(path, this.#inverted);
    openSource(this.#node(path, flame, box));
  }

  async menu(box: Box, event: MouseEvent): Promise<void> {
    const flame = this.model.flame.peek(), path = await this.#pathOf(box);
    if (!flame || !path) return;
    this.#tip.hide();
    selectAndOpen(path, this.#inverted);
    const node = this.#node(path, flame, box);
    const entries = callNodeMenu(node);
    const isZoom = samePath(view.peek().flame.zoom, path);
    const zoom = { title: isZoom ? 'Zoom out' : 'Zoom to this box', key: 'z', run: () => this.zoomTo(isZoom ? null : path) };
    showMenu(event.clientX, event.clientY, 'Function', [...entries.slice(0, 3), zoom, ...entries.slice(3)], () => (this.chart.menu.value = null));
  }

  hover(box: Box | null, event: MouseEvent): void {
    const flame = this.model.flame.peek();
    if (!box || !flame) return this.#tip.hide();
    const facts = factsOf(flame, box), state = queryState(view.peek(), { inverted: flame.inverted });
    const { weightType, rootTotal } = flame;
    const figure = percent(facts.total, rootTotal);
    const rows = [['Total', `${weightWithUnit(facts.total, weightType)}`], ['Self', facts.self === 0 ? '—' : `${weightWithUnit(facts.self, weightType)} (${percent(facts.self, rootTotal)})`]] as const;
    this.#tip.show(event, {
      key: JSON.stringify([state, generation.peek(), flame.zoom, view.peek().flame.order, flame.width, box]),
      content: (details) => <NodeTip {...facts} figure={figure} rows={rows} facts={details} />,
      load: async () => {
        const path = await this.#pathOf(box);
        const reply = path && (await ask('tooltip', state, [{ ask: 'node', path }]));
        return reply?.parts[0] as NodeFacts | undefined;
      },
    });
  }

  zoomTo(path: Path | null): void {
    const { flame } = view.peek();
    if (samePath(flame.zoom, path)) return;
    this.#tip.hide();
    change(path ? `Zoomed to ${nameOfFunc(path[path.length - 1]!)}` : 'The whole graph', { flame: { ...flame, zoom: path } });
  }

  zoomOut(): void {
    this.zoomTo(null);
  }

  #select(box: Box | null): void {
    const flame = this.model.flame.peek(), path = flame && box && pathOf(flame.rows, box);
    if (!path || !box) return;
    selectAndOpen(path, this.#inverted);
    this.chart.reveal(box.depth);
  }

  revealSelected(): void {
    const path = this.#selected;
    if (path) this.chart.reveal(path.length - 1);
  }

  #widest(boxes: readonly Box[]): Box | null {
    const flame = this.model.flame.peek();
    return flame && boxes.reduce<Box | null>((best, box) => (best && factsOf(flame, best).total >= factsOf(flame, box).total ? best : box), null);
  }

  async #walk(away: boolean): Promise<void> {
    const flame = this.model.flame.peek(), box = this.#selectedBox();
    if (!flame) return;
    if (!box) {
      const root = flame.rows.get(0);
      return this.#select(this.#widest(Array.from(root?.places ?? [], (_, index) => ({ depth: 0, index }))));
    }
    if (!away) return this.#select(parentOf(flame.rows, box));
    await this.model.need(box.depth, box.depth + 2);
    const now = this.model.flame.peek();
    if (now) this.#select(this.#widest(childrenOf(now.rows, box)));
  }

  #sideways(step: 1 | -1): void {
    const flame = this.model.flame.peek(), box = this.#selectedBox(), row = flame && box && flame.rows.get(box.depth);
    if (!flame || !box || !row) return;
    for (let index = box.index + step; index >= 0 && index < row.places.length; index += step)
      if (Math.abs(row.columns.total[row.places[index]!]!) > LEAST_SHARE * Math.abs(flame.rootTotal)) return this.#select({ depth: box.depth, index });
  }

  #scroll(up: boolean): void {
    const { inverted, rootOnTop } = view.peek().flame, sign = up === (rootOnTop ?? inverted) ? -1 : 1, { scroll, size } = this.chart;
    const levels = this.model.flame.peek()?.levels ?? 0, most = Math.max(0, levels * this.chart.layout(false).rowHeight - size.peek().height);
    whileHeld((ms) => (scroll.value = Math.max(0, Math.min(most, scroll.peek() + sign * heldPixels(ms)))));
  }

  commands(): Command[] {
    const group = 'Flame graph', { flame: { inverted, rootOnTop, zoom } } = view.peek(), onTop = rootOnTop ?? inverted;
    const free = (): boolean => this.#selected === null;
    return [
      { group, title: onTop ? 'Parent' : 'Heaviest child', keys: ['ArrowUp'], run: () => void this.#walk(!onTop) },
      { group, title: onTop ? 'Heaviest child' : 'Parent', keys: ['ArrowDown'], run: () => void this.#walk(onTop) },
      { group, title: 'Box at the left', keys: ['ArrowLeft'], run: () => this.#sideways(-1) },
      { group, title: 'Box at the right', keys: ['ArrowRight'], run: () => this.#sideways(1) },
      { group, title: 'Scroll up', keys: ['w', 'k', 'Shift+ArrowUp'], run: () => this.#scroll(true) },
      { group, title: 'Scroll down', keys: ['j', 'Shift+ArrowDown'], run: () => this.#scroll(false) },
      { group, title: 'Scroll down (nothing is selected)', keys: ['s'], when: free, run: () => this.#scroll(false) },
      { group, title: 'Zoom to the selected box', keys: ['z'], when: () => this.#selected !== null && !samePath(this.#selected, zoom), run: () => this.zoomTo(this.#selected) },
      ...nodeCommands(() => this.#selectedNode()),
    ];
  }
}

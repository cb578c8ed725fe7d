// The stack chart's data, and what it does when it is clicked, pointed at, or moved by keys.
import { computed, signal, untracked } from '@preact/signals';
import { IS_INLINED, IS_SEVERAL } from '../charts/boxes.ts';
import { rememberNames } from '../charts/flame_model.ts';
import { HoverTip } from '../charts/hover_tip.ts';
import { bandsOf, callsOf, depthsBetween, type BandBox, type StackColumns, type Stacks } from '../charts/stack_layout.ts';
import { timeCommands, timeWidth } from '../charts/time_gestures.ts';
import { duration, timestamp } from '../format/numbers.ts';
import type { Command } from '../state/commands.ts';
import { placeAsks, selectAndOpen, settlePlace } from '../state/follow_place.ts';
import { ask, generation, opened, shownRange, view } from '../state/store.ts';
import { queryState } from '../state/view.ts';
import { rowHeight } from '../theme/theme.ts';
import type { Ask, Part, Path, QueryState, Range } from '../transport/protocol.ts';
import { threadName } from '../timeline/tracks.ts';
import { textOf } from '../transport/texts.ts';
import { showMenu } from '../widgets/menu.tsx';
import type { Size } from '../widgets/use.ts';
import { callNodeMenu, nodeCommands, openSource, type ChosenNode } from './call_node.ts';
import { NodeTip, type NodeFacts } from './node_tip.tsx';

interface StackPart extends Part {
  readonly range: Range;
  readonly columns: StackColumns;
}

/** Depths come in blocks of so many, so that scrolling seldom asks. */
const BLOCK = 32;

export class StackControl {
  readonly stacks = signal<Stacks | null>(null);
  readonly size = signal<Size>({ width: 0, height: 0 });
  readonly scroll = signal(0);
  readonly hovered = signal<BandBox | null>(null);
  readonly menuBox = signal<BandBox | null>(null);
  readonly width = computed(() => timeWidth(this.size.value.width));
  readonly #tip = new HoverTip<NodeFacts>();
  #key = '';
  /** Depths: fewer of them are there already. */
  #asked = { from: 0, until: 0 };

  readonly #depths = computed(() => {
    const { height } = this.size.value, top = this.scroll.value, bands = this.stacks.value?.bands;
    const { from, until } = bands ? depthsBetween(bands, rowHeight.value, top, top + height) : { from: 0, until: Math.ceil(height / rowHeight.value) };
    return `${Math.floor(from / BLOCK) * BLOCK}-${Math.max(1, Math.ceil(until / BLOCK)) * BLOCK}`;
  });

  /** Of each band, the calls of the selected node. */
  readonly selected = computed(() => {
    const { selected } = view.value.tree;
    return this.stacks.value?.bands.map((band) => (selected ? callsOf(band, selected) : [])) ?? [];
  });

  /** To be run in an effect. The range is no part of the state: what is computed of the state stays while it changes. */
  follow(): void {
    const { search, sameWidths } = view.value, [start, end] = shownRange.value;
    if (!opened.value || this.size.value.width === 0) return;
    const [from, until] = this.#depths.value.split('-').map(Number) as [number, number];
    const state = queryState(view.value, { preview: false });
    const request: Ask = { ask: 'stack_chart', width: Math.round(this.width.value * devicePixelRatio), start, end, same_width: sameWidths, ...(search ? { highlight: search } : {}) };
    const key = JSON.stringify([state, request, generation.value]), { from: first, until: last } = this.#asked;
    if (key === this.#key && from >= first && until <= last) return;
    this.#key = key;
    this.#asked = { from, until };
    untracked(() => void this.#load(state, { ...request, from, until }, from, until));
  }

  async #load(state: QueryState, request: Ask, from: number, until: number): Promise<void> {
    const now = view.peek();
    const reply = await ask('stack-chart', state, [request, ...placeAsks(now, false)]);
    const part = reply?.parts[0] as StackPart | undefined;
    if (!part) return;
    rememberNames(part.columns);
    settlePlace(reply?.parts[1], now, false);
    this.hovered.value = this.menuBox.value = null;
    this.stacks.value = { range: part.range, width: Number(request.width), sameWidths: now.sameWidths, bands: bandsOf(part.columns, from, until) };
  }

  #facts({ band, depth, index }: BandBox): { thread: number; start: number; end: number; several: boolean; name: string; library: string; category: number; func: number; inlined: boolean } | null {
    const found = this.stacks.peek()?.bands[band], row = found?.rows.get(depth), place = row?.places[index];
    if (!found || !row || place === undefined) return null;
    const { start, end, flags, name, library, category, func } = row.columns;
    return {
      thread: found.thread, start: start[place]!, end: end[place]!, several: (flags[place]! & IS_SEVERAL) !== 0, inlined: (flags[place]! & IS_INLINED) !== 0,
      name: textOf(name[place]), library: textOf(library[place]), category: category[place]!, func: func[place]!,
    };
  }

  /** Boxes have no path, but the sample that a call begins with has. */
  async #pathOf(box: BandBox, lane: string): Promise<Path | null> {
    const facts = this.#facts(box), stacks = this.stacks.peek();
    if (!facts || !stacks) return null;
    const reply = await ask(lane, queryState(view.peek(), { preview: false }), [{ ask: 'sample_at', thread: facts.thread, at: Math.max(facts.start, stacks.range[0]) }]);
    const { path = null } = (reply?.parts[0] as (Part & { readonly path: Path | null }) | undefined) ?? {};
    return path && path[box.depth] === facts.func ? path.slice(0, box.depth + 1) : null;
  }

  /** The moment under the pointer, where all changes are equally wide that of the call. */
  timeAt(x: number, box: BandBox | null): number | null {
    const [start, end] = shownRange.peek(), share = x / this.width.peek(), stacks = this.stacks.peek();
    if (share < 0 || share > 1) return null;
    if (!stacks?.sameWidths) return start + share * (end - start);
    return box && (this.#facts(box)?.start ?? null);
  }

  #node(box: BandBox, path: Path): ChosenNode | null {
    const facts = this.#facts(box);
    return facts && { ...facts, path, file: '', inverted: false };
  }

  #selectedNode(): ChosenNode | null {
    const { selected } = view.peek().tree, boxes = this.selected.peek(), band = boxes.findIndex((list) => list.length > 0);
    return selected && band >= 0 ? this.#node({ band, ...boxes[band]![0]! }, selected) : null;
  }

  async click(box: BandBox | null): Promise<void> {
    selectAndOpen(box && (await this.#pathOf(box, 'select')), false);
  }

  async open(box: BandBox): Promise<void> {
    const path = await this.#pathOf(box, 'select'), node = path && this.#node(box, path);
    if (node) openSource(node);
  }

  async menu(box: BandBox, event: MouseEvent): Promise<void> {
    this.#tip.hide();
    const path = await this.#pathOf(box, 'select'), node = path && this.#node(box, path);
    if (!node) return;
    selectAndOpen(path, false);
    this.menuBox.value = box;
    showMenu(event.clientX, event.clientY, 'Function', callNodeMenu(node), () => (this.menuBox.value = null));
  }

  hover(box: BandBox | null, event: MouseEvent): void {
    const facts = box && this.#facts(box);
    if (!box || !facts) return this.#tip.hide();
    const { start, end, several, thread } = facts, state = queryState(view.peek());
    const since = timestamp(start, Math.max((end - start) / 100, 1e-6));
    const threads = this.stacks.peek()?.bands.length === 1 ? [] : [['Thread', threadName(thread)] as const];
    const rows = [['From', since] as const, ...threads, ...(several ? [['Here', 'several short calls, of which this is the longest'] as const] : [])];
    this.#tip.show(event, {
      key: JSON.stringify([state, generation.peek(), thread, box.depth, start, facts.func]),
      content: (details) => <NodeTip {...facts} figure={duration(end - start)} rows={rows} facts={details} />,
      load: async () => {
        const path = await this.#pathOf(box, 'tooltip');
        const reply = path && (await ask('tooltip', state, [{ ask: 'node', path }]));
        return reply?.parts[0] as NodeFacts | undefined;
      },
    });
  }

  commands(mostScroll: () => number): Command[] {
    const scroll = (pixels: number): void => {
      this.scroll.value = Math.max(0, Math.min(mostScroll(), this.scroll.peek() + pixels));
    };
    return [
      ...timeCommands({ group: 'Charts', width: () => this.width.peek(), scroll, isFree: () => view.peek().tree.selected === null }),
      ...nodeCommands(() => this.#selectedNode()),
    ];
  }
}

// The text of a source file with colours, and numbers beside its lines. This, and the editor that it is made of, is loaded when the first file is opened.
import { cpp } from '@codemirror/lang-cpp';
import { javascript } from '@codemirror/lang-javascript';
import { python } from '@codemirror/lang-python';
import { rust } from '@codemirror/lang-rust';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, gutter, GutterMarker, keymap, lineNumbers, type BlockInfo, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { heatOf, largest } from './heat.ts';

export interface EditorText {
  readonly name: string;
  readonly text: string;
  readonly firstLine: number;
}

export interface LineNumber {
  readonly total: string;
  readonly self: string;
}

export interface EditorNumbers {
  /** Lines as they are numbered in the file. */
  readonly line: ArrayLike<number>;
  readonly total: ArrayLike<number>;
  readonly shown: readonly LineNumber[];
}

const LANGUAGES: readonly (readonly [RegExp, () => Extension])[] = [
  [/\.(c|h|cc|hh|cpp|hpp|cxx|hxx|c\+\+|h\+\+|inl|ipp|tcc|cu|cuh|m|mm|java|proto)$/i, cpp],
  [/\.rs$/i, rust],
  [/\.[cm]?tsx?$/i, () => javascript({ typescript: true, jsx: true })],
  [/\.([cm]?jsx?|json|html)$/i, () => javascript({ jsx: true })],
  [/\.pyi?$/i, python],
  [/\/include\/c\+\+\/|\/bits\//, cpp],
];

const languageOf = (name: string): Extension => LANGUAGES.find(([pattern]) => pattern.test(name.replace(/[?#].*$/, '')))?.[1]() ?? [];

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--syntax-keyword)' },
  { tag: [tags.string, tags.character, tags.regexp], color: 'var(--syntax-string)' },
  { tag: [tags.comment], color: 'var(--syntax-comment)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--syntax-number)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--syntax-type)' },
  { tag: [tags.processingInstruction, tags.meta, tags.macroName], color: 'var(--syntax-meta)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--syntax-function)' },
]);

const SHADES = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`.heat-${i + 1}`, { backgroundColor: `color-mix(in srgb, var(--heat) ${8 + i * 6}%, transparent)` }]));

/** As wide as the heads over them (main.css). */
const FIGURES = { width: '60px', '& .cm-gutterElement': { padding: '0 8px', textAlign: 'right', color: 'var(--text)', fontFamily: 'system-ui, sans-serif', fontSize: 'var(--text-size)', fontVariantNumeric: 'tabular-nums' } };

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--code-size)', color: 'var(--text)', backgroundColor: 'var(--background)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--code-font)', lineHeight: 'calc(var(--row) + 1px)' },
  '.cm-content': { padding: '0', tabSize: '4' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--weak-text)', border: 'none', borderRight: '1px solid var(--border)' },
  '.line-total': FIGURES,
  '.line-self': { ...FIGURES, borderRight: '1px solid var(--border)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '40px', padding: '0 8px 0 10px' },
  '.marked-line': { boxShadow: 'inset 3px 0 var(--accent), inset 0 0 0 1000px var(--accent-weak)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)', borderColor: 'var(--border)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': { fontFamily: 'inherit', fontSize: 'var(--text-size)', padding: '4px 28px 4px 8px' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--text)', fontSize: '16px', cursor: 'pointer' },
  '.cm-textfield': { backgroundColor: 'var(--background)', color: 'var(--text)', border: '1px solid var(--strong-border)', borderRadius: '3px', fontSize: 'inherit' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--background)', color: 'var(--text)', border: '1px solid var(--border)', borderRadius: '3px', fontSize: 'inherit', cursor: 'pointer' },
  '.cm-searchMatch': { backgroundColor: 'var(--match)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--match)', outline: '2px solid var(--accent)' },
  '.cm-selectionMatch': { backgroundColor: 'transparent' },
  ...SHADES,
});

// ---- what stands beside the lines ----

class Figure extends GutterMarker {
  readonly #text: string;
  constructor(text: string) {
    super();
    this.#text = text;
  }
  override eq(other: Figure): boolean {
    return other.#text === this.#text;
  }
  override toDOM(): Text {
    return document.createTextNode(this.#text);
  }
}

interface Beside {
  readonly total: ReadonlyMap<number, Figure>;
  readonly self: ReadonlyMap<number, Figure>;
  readonly tints: DecorationSet;
}

const setBeside = StateEffect.define<Beside>();
const NOTHING: Beside = { total: new Map(), self: new Map(), tints: Decoration.none };

const beside = StateField.define<Beside>({
  create: () => NOTHING,
  update: (value, transaction) => transaction.effects.find((effect) => effect.is(setBeside))?.value ?? value,
  provide: (field) => EditorView.decorations.from(field, ({ tints }) => tints),
});

function figures(column: 'total' | 'self'): Extension {
  return gutter({
    class: `line-${column}`,
    lineMarker: (view, block: BlockInfo) => view.state.field(beside)[column].get(view.state.doc.lineAt(block.from).number) ?? null,
    lineMarkerChange: ({ startState, state }) => startState.field(beside) !== state.field(beside),
    initialSpacer: () => new Figure('100.0%'),
  });
}

const setMark = StateEffect.define<number | null>();
const MARK = Decoration.line({ class: 'marked-line' });

const mark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, { effects, state }) {
    const to = effects.find((effect) => effect.is(setMark));
    if (!to) return value;
    return to.value === null || to.value < 1 || to.value > state.doc.lines ? Decoration.none : Decoration.set(MARK.range(state.doc.line(to.value).from));
  },
  provide: (field) => EditorView.decorations.from(field),
});

// ---- the editor ----

/** Lines over the one that is gone to. */
const LINES_ABOVE = 5;

export class SourceEditor {
  readonly #view: EditorView;
  readonly #language = new Compartment();
  readonly #numbers = new Compartment();
  #firstLine = 1;

  /** `onHover` is told the line under the pointer, `onScroll` that another part is seen. */
  constructor(parent: HTMLElement, onHover: (line: number | null) => void) {
    // Its styles are sheets of a root of its own: the page allows none in its text.
    const root = parent.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': 'Source' }),
        search({ top: true }),
        keymap.of(searchKeymap),
        syntaxHighlighting(COLORS),
        LOOK,
        figures('total'),
        figures('self'),
        this.#numbers.of(lineNumbers()),
        this.#language.of([]),
        beside,
        mark,
        EditorView.domEventHandlers({
          mousemove: (event, view) => {
            const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
            onHover(view.state.doc.lineAt(at).number + this.#firstLine - 1);
          },
          mouseleave: () => onHover(null),
        }),
      ],
    });
    this.#view = new EditorView({ state, root, parent: root as unknown as Element });
  }

  dispose(): void {
    this.#view.destroy();
  }

  show({ name, text, firstLine }: EditorText): void {
    this.#firstLine = firstLine;
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      effects: [
        this.#language.reconfigure(languageOf(name)),
        this.#numbers.reconfigure(lineNumbers({ formatNumber: (line) => String(line + firstLine - 1) })),
        setBeside.of(NOTHING),
        setMark.of(null),
      ],
    });
  }

  showNumbers({ line, total, shown }: EditorNumbers): void {
    const { doc } = this.#view.state, most = largest(total);
    const totals = new Map<number, Figure>(), selfs = new Map<number, Figure>(), tints = new RangeSetBuilder<Decoration>();
    for (let i = 0; i < line.length; i++) {
      const at = line[i]! - this.#firstLine + 1, heat = heatOf(total[i]!, most);
      if (at < 1 || at > doc.lines) continue;
      totals.set(at, new Figure(shown[i]!.total));
      selfs.set(at, new Figure(shown[i]!.self));
      const { from } = doc.line(at);
      if (heat > 0) tints.add(from, from, Decoration.line({ class: `heat-${heat}` }));
    }
    this.#view.dispatch({ effects: setBeside.of({ total: totals, self: selfs, tints: tints.finish() }) });
  }

  mark(line: number | null): void {
    this.#view.dispatch({ effects: setMark.of(line === null ? null : line - this.#firstLine + 1) });
  }

  /** Scrolls so that the line stands below the upper edge. */
  goTo(line: number): void {
    const { doc } = this.#view.state, at = Math.max(1, Math.min(doc.lines, line - this.#firstLine + 1));
    const { defaultLineHeight } = this.#view;
    this.#view.dispatch({ effects: EditorView.scrollIntoView(doc.line(at).from, { y: 'start', yMargin: LINES_ABOVE * defaultLineHeight }) });
  }

  /** The line at the place that `goTo` scrolls to. */
  get currentLine(): number {
    const { doc } = this.#view.state, top = this.#view.scrollDOM.scrollTop + LINES_ABOVE * this.#view.defaultLineHeight;
    return doc.lineAt(this.#view.lineBlockAtHeight(top + 1).from).number + this.#firstLine - 1;
  }

  get lineCount(): number {
    return this.#view.state.doc.lines;
  }

  search(): void {
    openSearchPanel(this.#view);
  }
}

// The instructions of a function, as they are in one of its symbols.
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { count } from '../format/numbers.ts';
import { visible } from '../transport/texts.ts';
import { useCommands, useSignalRun } from '../widgets/use.ts';
import { AssemblyRows } from './assembly_rows.ts';
import { chosenSymbol, followInstructions, instructions, type InstructionsPart } from './source_model.ts';
import { keepScrollKeys } from './source_pane.tsx';

/** ‹ 2 of 3 › */
export function SymbolSteps(): JSX.Element | null {
  const part = instructions.value;
  if (!part || part.symbol === null || part.symbols.length < 2) return null;
  const { symbols, symbol } = part;
  const step = (by: number): void => {
    chosenSymbol.value = symbols[(symbol + by + symbols.length) % symbols.length] ?? null;
  };
  return (
    <span class="symbol-steps" title="The function is in several symbols: its own, and those that it was inlined into">
      <button aria-label="Previous symbol" onClick={() => step(-1)}>‹</button> {symbol + 1} of {symbols.length} <button aria-label="Next symbol" onClick={() => step(1)}>›</button>
    </span>
  );
}

function whyEmpty(part: InstructionsPart | null): string {
  if (!part) return 'Waiting for the instructions …';
  if (part.failed) return visible(part.failed);
  if (part.symbols.length > 0) return '';
  return part.without_symbol > 0
    ? `${count(part.without_symbol)} ${part.without_symbol === 1 ? 'frame of this function is' : 'frames of this function are'} at addresses whose symbol is not known.`
    : 'The profile has no addresses of this function.';
}

export function AssemblyPane(): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null), rows = useRef<AssemblyRows | null>(null);
  useSignalRun(followInstructions);
  useEffect(() => {
    if (!viewport.current || !canvas.current) return;
    rows.current = new AssemblyRows(viewport.current, canvas.current);
    return () => rows.current?.dispose();
  }, []);
  useCommands('assembly', () => [
    { group: 'Source', title: 'Next hot instruction', keys: ['}'], run: () => rows.current?.step(1) },
    { group: 'Source', title: 'Previous hot instruction', keys: ['{'], run: () => rows.current?.step(-1) },
  ]);
  const part = instructions.value, symbol = part && part.symbol !== null ? part.symbols[part.symbol] : undefined;
  const why = whyEmpty(part);
  return (
    <div class="assembly-pane">
      <div class="assembly-header">
        <span>Total</span><span>Self</span><span>Address</span><span />
        <span class="assembly-symbol">{symbol ? <>{visible(symbol.name)} <small>{visible(symbol.library)}</small></> : 'Instruction'}</span>
      </div>
      <div class="assembly-body">
        <div ref={viewport} class="rows" role="group" aria-label="Instructions" tabIndex={0} onKeyDown={keepScrollKeys} />
        <canvas ref={canvas} class="assembly-jumps" aria-hidden="true" />
        {why && <p class="source-waiting" role="status">{why}</p>}
        {part?.cut && <p class="source-note">The listing is cut.</p>}
      </div>
    </div>
  );
}

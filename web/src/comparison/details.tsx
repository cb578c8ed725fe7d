// What is known of the function or node that is chosen in a comparison: both sides, the difference, and whether it may be chance.
import type { JSX } from 'preact';
import { openFunctionSource, showCallers } from '../panels/call_node.ts';
import { opened } from '../state/store.ts';
import { visible } from '../transport/texts.ts';
import { chosen, nodeOf, part } from './model.ts';
import { chanceText, deltaText, fateOf, isChanged, selfDelta, SELF_CHANGED, sumText, totalDelta, TOTAL_CHANGED, unitText, type ComparedFunctions, type ComparePart } from './part.ts';

function Sum({ now, row, of, title }: { readonly now: ComparePart; readonly row: number; readonly of: 'self' | 'total'; readonly title: string }): JSX.Element {
  const base = now.columns[`base_${of}`][row]!, value = now.columns[`new_${of}`][row]!;
  const delta = of === 'self' ? selfDelta(now, row) : totalDelta(now, row), changed = isChanged(now, row, of === 'self' ? SELF_CHANGED : TOTAL_CHANGED);
  const error = (now as ComparedFunctions).columns[`${of}_error`]?.[row];
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>{sumText(base, now)}</td>
      <td>{sumText(value, now)}</td>
      <td class={changed ? (delta > 0 ? 'more' : 'less') : 'chance'}>{deltaText(delta, now)}{error !== undefined && ` ±${sumText(error, now)}`}{base !== 0 && ` (${delta > 0 ? '+' : ''}${((100 * delta) / Math.abs(base)).toFixed(1)}%)`}</td>
    </tr>
  );
}

const FATES = { new: 'It is new: the base has no samples in it.', gone: 'It is gone: only the base has samples in it.', '': '' };

export function ComparisonSidebar(): JSX.Element {
  const now = part.value, row = chosen.value;
  if (!now || row === null) return <div class="node-details"><p class="weak">Choose a function to see both sides of it.</p></div>;
  const place = now.columns.place[row]!, node = nodeOf(row), p = now.columns.p[row]!, unit = unitText(now);
  return (
    <div class="node-details">
      <h2>{now.names[place]}</h2>
      <p class="library">{now.libraries[place]}{now.files[place] && <><br />{now.files[place]}</>}</p>
      <table class="compare-sums">
        <thead><tr><th scope="col">{unit}</th><th scope="col" title={visible(opened.value?.base ?? '')}>base</th><th scope="col">new</th><th scope="col">difference</th></tr></thead>
        <tbody>
          <Sum now={now} row={row} of="total" title="Total" />
          <Sum now={now} row={row} of="self" title="Self" />
        </tbody>
      </table>
      <p>{isChanged(now, row) ? `It changed by more than chance explains (p ${chanceText(p)}).` : `The difference may be chance (p ${chanceText(p)}).`} {FATES[fateOf(now, row)]}</p>
      {node && <p><button class="link" onClick={() => openFunctionSource(node.func)}>Source</button> <button class="link" onClick={() => showCallers(node)}>Callers and callees</button></p>}
    </div>
  );
}

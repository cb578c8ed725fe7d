// What of a comparison is shown: the choices in the bar above it.
import type { JSX } from 'preact';
import { Check } from '../frame/bars.tsx';
import { change, view } from '../state/store.ts';
import { show } from './model.ts';

const KINDS = [['functions', 'Functions'], ['tree', 'Call tree'], ['flame', 'Flame graph']] as const;

export function ComparisonTools(): JSX.Element {
  const { comparison: { as, shares, onlyChanged }, inverted } = view.value;
  return (
    <>
      <fieldset>
        <legend class="visually-hidden">Comparison as</legend>
        {KINDS.map(([key, text]) => (
          <label key={key}>
            <input type="radio" name="comparison" checked={as === key} onChange={() => show(`Comparison: ${text}`, { as: key })} /> {text}
          </label>
        ))}
      </fieldset>
      <Check label="Shares" title="Compares parts of the whole: where one of the two ran longer, or was sampled more often" checked={shares} onChange={(to) => show(to ? 'Compared by shares' : 'Compared as they are', { shares: to })} />
      {as !== 'flame' && <Check label="Only what changed" title="Leaves out what differs no more than chance explains" checked={onlyChanged} onChange={(to) => show(to ? 'Only what changed' : 'All of it', { onlyChanged: to })} />}
      {as !== 'functions' && <Check label="Invert" title="From the functions that samples ended in (i)" checked={inverted} onChange={(to) => change(to ? 'Inverted' : 'Not inverted', { inverted: to })} />}
    </>
  );
}

import type { JSX } from 'preact';

export function MarkerChart(): JSX.Element {
  return <div />;
}

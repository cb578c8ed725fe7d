import type { JSX } from 'preact';

export function MarkerTable(): JSX.Element {
  return <div />;
}

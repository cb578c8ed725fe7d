import type { JSX } from 'preact';

export function StackChart(): JSX.Element {
  return <div />;
}

import type { JSX } from 'preact';

export function FlameGraph(): JSX.Element {
  return <div />;
}

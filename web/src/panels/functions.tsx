import type { JSX } from 'preact';

export function Functions(): JSX.Element {
  return <div />;
}

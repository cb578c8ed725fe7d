import type { JSX } from 'preact';

export function BottomPane(): JSX.Element {
  return <div />;
}

// A part of the page that breaks says so in its place, and the rest goes on.
import { Component } from 'preact';
import type { ComponentChildren } from 'preact';

interface Props {
  readonly what: string;
  readonly children: ComponentChildren;
}

export class Guard extends Component<Props, { readonly error: string | null }> {
  override state = { error: null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error: error instanceof Error ? error.message : String(error) });
  }

  override render({ what, children }: Props): ComponentChildren {
    if (this.state.error === null) return children;
    return (
      <div class="empty-panel" role="alert">
        <h2>The {what} cannot be shown</h2>
        <p>{this.state.error}</p>
        <div><button onClick={() => this.setState({ error: null })}>Try again</button></div>
      </div>
    );
  }
}

/** Keeps a page that breaks from taking the rest of the console with it. */
import { Component, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/states.tsx';

interface Props {
  readonly children: ReactNode;
}

export class PageErrorBoundary extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { readonly isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <EmptyState icon="alert" title="This page ran into a fault">
        <p>What happened was written to the browser’s console. Nothing on the server changed.</p>
        {/* The whole of it: parts of a page that could not be fetched are not asked for twice. */}
        <Button onClick={() => window.location.reload()}>Load the console again</Button>
      </EmptyState>
    );
  }
}

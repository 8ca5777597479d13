/** What a page shows when there is nothing, not yet anything, or something went wrong. */
import type { ReactNode } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { SafeText } from './safe-text.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What would fill it, or what to do next. */
  readonly children?: ReactNode;
}

export const EmptyState = ({ icon, title, children }: EmptyProps) => (
  <div className="empty">
    <Icon name={icon} />
    <h2>
      <SafeText text={title} />
    </h2>
    {children}
  </div>
);

export const Skeleton = ({ lines = 6 }: { readonly lines?: number }) => (
  <div className="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
      <span key={line} />
    ))}
  </div>
);

export const ErrorState = (props: { readonly error: ApiError; onRetry?(): void }) => {
  const { error, onRetry } = props;
  return (
    <div className="failure" role="alert">
      <h2>
        <SafeText text={error.message} />
      </h2>
      {error.suggestions.length > 0 && (
        <ul>
          {error.suggestions.map((suggestion) => (
            <li key={suggestion}>
              <SafeText text={suggestion} />
            </li>
          ))}
        </ul>
      )}
      <p className="muted">
        <code>{error.code}</code>
        {error.requestId !== '' && (
          <>
            {' '}
            request <code>{error.requestId}</code>
          </>
        )}
      </p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
};

/** Says, below older data, that the last reload failed. */
export const StaleNote = ({ error, onRetry }: { readonly error: ApiError; onRetry(): void }) => (
  <div className="note note-warn stale" role="status">
    <p>
      This may be out of date. <SafeText text={error.message} />
    </p>
    <Button isSmall onClick={onRetry}>
      Try again
    </Button>
  </div>
);

interface LoadingProps<T> {
  readonly of: {
    readonly data: T | undefined;
    readonly error: ApiError | undefined;
    reload(): void;
  };
  /** What to say when the server knows no such thing: trying again would not help. */
  readonly missing?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

const NOT_FOUND = 404;

/** Draws the content once it is there, else what stands in for it. */
export const WhenLoaded = <T,>({ of, missing, children }: LoadingProps<T>) => {
  if (of.data !== undefined) {
    return (
      <>
        {of.error && <StaleNote error={of.error} onRetry={of.reload} />}
        {children(of.data)}
      </>
    );
  }
  if (missing !== undefined && of.error?.status === NOT_FOUND) return missing;
  return of.error ? <ErrorState error={of.error} onRetry={of.reload} /> : <Skeleton />;
};

/** The foot of a list that goes on. */
import { Button } from './button.tsx';

interface PaginationProps {
  readonly shown: number;
  readonly noun: string;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  onMore(): void;
  /** Given while older entries are open and the list stands still. */
  onNewest?: (() => void) | undefined;
}

export const Pagination = ({ shown, noun, hasMore, isBusy, onMore, onNewest }: PaginationProps) => (
  <p className="pagination">
    <span className="muted">
      {shown} {noun}
      {hasMore ? ' so far' : ''}
    </span>
    {hasMore && (
      <Button isSmall isBusy={isBusy} onClick={onMore}>
        Show older
      </Button>
    )}
    {onNewest && (
      <Button isSmall kind="quiet" onClick={onNewest}>
        Back to the newest
      </Button>
    )}
  </p>
);

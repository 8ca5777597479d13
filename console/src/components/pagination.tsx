/** The foot of a list that comes in pages: how much there is, the way further down, what went wrong. */
import type { Pages } from '../api/use-pages.ts';
import { Button } from './button.tsx';
import { StaleNote } from './states.tsx';

interface PaginationProps {
  readonly of: Pages<unknown>;
  /** Counts those that are shown beside the pages, too. */
  readonly shown?: number;
  readonly one: string;
  readonly many: string;
}

export const Pagination = ({
  of: pages,
  shown = pages.items.length,
  one,
  many,
}: PaginationProps) => (
  <>
    {pages.error && <StaleNote error={pages.error} onRetry={pages.retry} />}
    <p className="pagination">
      <span className="muted">
        {shown} {shown === 1 ? one : many}
        {pages.hasMore ? ' so far' : ''}
      </span>
      {pages.hasMore && (
        <Button isSmall isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
          Show older
        </Button>
      )}
      {pages.isDeep && (
        <Button isSmall kind="quiet" onClick={pages.reload}>
          Back to the newest
        </Button>
      )}
    </p>
  </>
);

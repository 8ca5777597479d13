/** A list that comes in pages: the first at once, the next ones when asked for. */
import { useRef, useState } from 'react';
import { type ApiError, asApiError } from './api-error.ts';
import type { Page } from './call-records.ts';
import type { Query } from './create-api.ts';
import { useServices } from './services.tsx';
import { useLoad } from './use-load.ts';

export interface Pages<T> {
  readonly items: readonly T[];
  readonly isLoading: boolean;
  /** Of the first page or of the last one asked for; the rest stays as it is. */
  readonly error: ApiError | undefined;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Older pages are open too: a reload would take them away. */
  readonly isDeep: boolean;
  loadMore(): void;
  /** Loads again what `error` is about. */
  retry(): void;
  /** Loads the first page again; pages further down are dropped. */
  reload(): void;
}

/** What follows a first page; a newer first page outdates it. */
interface Rest<T> {
  readonly head: Page<T> | undefined;
  readonly pages: readonly Page<T>[];
  readonly isLoading: boolean;
  readonly error?: ApiError | undefined;
}

export const usePages = <T>(path: string, query: Query = {}): Pages<T> => {
  const { api } = useServices();
  const first = useLoad(api.url(path, query), () => api.get<Page<T>>(path, query));
  const head = first.data;
  const [stored, setRest] = useState<Rest<T>>({ head, pages: [], isLoading: false });
  const rest: Rest<T> = stored.head === head ? stored : { head, pages: [], isLoading: false };
  const latest = useRef(head);
  latest.current = head;
  const next = (rest.pages.at(-1) ?? head)?.next;
  const loadMore = (): void => {
    if (next === undefined || rest.isLoading) return;
    setRest({ ...rest, isLoading: true, error: undefined });
    // Another filter, or newer entries: what comes then belongs to a list that is gone.
    const keep = (after: Rest<T>): void => {
      if (latest.current === head) setRest(after);
    };
    api.get<Page<T>>(path, { ...query, cursor: next }).then(
      (page) => keep({ head, pages: [...rest.pages, page], isLoading: false }),
      (thrown: unknown) => keep({ ...rest, isLoading: false, error: asApiError(thrown) }),
    );
  };
  return {
    items: [...(head?.items ?? []), ...rest.pages.flatMap((page) => page.items)],
    isLoading: first.isLoading,
    error: first.error ?? rest.error,
    hasMore: next !== undefined,
    isLoadingMore: rest.isLoading,
    isDeep: rest.pages.length > 0,
    loadMore,
    retry: first.error ? first.reload : loadMore,
    reload: first.reload,
  };
};

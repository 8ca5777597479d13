/** A list that comes in pages: the first at once, the next ones when asked for. */
import { useEffect, useState } from 'react';
import { type ApiError, asApiError } from './api-error.ts';
import type { Page } from './call-records.ts';
import type { Query } from './create-api.ts';
import { useServices } from './services.tsx';
import { useLoad } from './use-load.ts';

export interface Pages<T> {
  readonly items: readonly T[];
  readonly isLoading: boolean;
  readonly error: ApiError | undefined;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Older pages are open too: a reload would take them away. */
  readonly isDeep: boolean;
  loadMore(): void;
  /** The first page again; pages loaded further down are let go. */
  reload(): void;
}

export const usePages = <T>(path: string, query: Query = {}): Pages<T> => {
  const { api } = useServices();
  const key = api.url(path, query);
  const first = useLoad(key, () => api.get<Page<T>>(path, query));
  const [more, setMore] = useState<readonly Page<T>[]>([]);
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [failed, setFailed] = useState<ApiError>();
  const head = first.data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new first page outdates the rest
  useEffect(() => setMore([]), [head]);
  const next = (more.at(-1) ?? head)?.next;
  const loadMore = (): void => {
    if (next === undefined || isLoadingMore) return;
    setLoadingMore(true);
    api
      .get<Page<T>>(path, { ...query, cursor: next })
      .then(
        (page) => {
          setFailed(undefined);
          setMore((pages) => [...pages, page]);
        },
        (thrown: unknown) => setFailed(asApiError(thrown)),
      )
      .finally(() => setLoadingMore(false));
  };
  return {
    items: [...(head?.items ?? []), ...more.flatMap((page) => page.items)],
    isLoading: first.isLoading,
    error: first.error ?? failed,
    hasMore: next !== undefined,
    isLoadingMore,
    isDeep: more.length > 0,
    loadMore,
    reload: first.reload,
  };
};

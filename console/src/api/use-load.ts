/** Loads something when a page opens and again when asked to; an answer that comes too late is dropped. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiError, asApiError } from './api-error.ts';

export interface Loaded<T> {
  /** Kept while it is loaded again, so that a page does not flicker. */
  readonly data: T | undefined;
  /** What went wrong with the last try; `data` is then of an earlier one. */
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

const MAX_WAIT_MS = 20_000;

interface LoadState<T> {
  readonly key: string;
  readonly data?: T;
  readonly error?: ApiError;
}

/**
 * Runs one request at a time; a reload that is asked for meanwhile is made once, when the request has ended.
 * A request that hangs blocks the next one for 20 seconds at most.
 */
const keepLoading = (load: () => Promise<unknown>) => {
  let isUnderWay = false;
  let isAskedAgain = false;
  const start = (): void => {
    isAskedAgain = isUnderWay;
    if (isUnderWay) return;
    isUnderWay = true;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      isUnderWay = false;
      if (isAskedAgain) start();
    };
    const timer = setTimeout(end, MAX_WAIT_MS);
    void load().finally(() => {
      clearTimeout(timer);
      end();
    });
  };
  return {
    start,
    stop: () => {
      isUnderWay = true;
      isAskedAgain = false;
    },
  };
};

/** Loads what `key` names; another key starts afresh. */
export const useLoad = <T>(key: string, load: () => Promise<T>): Loaded<T> => {
  const [state, setState] = useState<LoadState<T>>({ key });
  const latest = useRef(load);
  latest.current = load;
  const loading = useRef<ReturnType<typeof keepLoading>>(undefined);
  useEffect(() => {
    let isStale = false;
    const fail = (old: LoadState<T>, error: ApiError): LoadState<T> =>
      old.key === key && old.data !== undefined ? { key, data: old.data, error } : { key, error };
    const own = keepLoading(() =>
      latest.current().then(
        (data) => {
          if (!isStale) setState({ key, data });
        },
        (thrown: unknown) => {
          if (!isStale) setState((old) => fail(old, asApiError(thrown)));
        },
      ),
    );
    loading.current = own;
    own.start();
    return () => {
      isStale = true;
      own.stop();
    };
  }, [key]);
  const reload = useCallback(() => loading.current?.start(), []);
  const mine = state.key === key ? state : undefined;
  const data = mine?.data;
  const error = mine?.error;
  return { data, error, isLoading: data === undefined && error === undefined, reload };
};

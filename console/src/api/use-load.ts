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

const PATIENCE_MS = 20_000;

interface Known<T> {
  readonly key: string;
  readonly data?: T;
  readonly error?: ApiError;
}

/**
 * One request at a time: asked again while one is under way, it loads once more after that. Where
 * much happens and answers are slow, every one would be outdated by the next before it came. One
 * that hangs does not hold up the others for ever.
 */
const keepLoading = (load: () => Promise<unknown>) => {
  let isUnderWay = false;
  let isWanted = false;
  const start = (): void => {
    isWanted = isUnderWay;
    if (isUnderWay) return;
    isUnderWay = true;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      isUnderWay = false;
      if (isWanted) start();
    };
    const patience = setTimeout(end, PATIENCE_MS);
    void load().finally(() => {
      clearTimeout(patience);
      end();
    });
  };
  return {
    start,
    stop: () => {
      isUnderWay = true;
      isWanted = false;
    },
  };
};

/** `key` names what is loaded: another key starts afresh. */
export const useLoad = <T>(key: string, load: () => Promise<T>): Loaded<T> => {
  const [state, setState] = useState<Known<T>>({ key });
  const latest = useRef(load);
  latest.current = load;
  const loading = useRef<ReturnType<typeof keepLoading>>(undefined);
  useEffect(() => {
    let isStale = false;
    const fail = (old: Known<T>, error: ApiError): Known<T> =>
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

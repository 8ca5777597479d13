/** Loads something when a page opens and again when asked to; an answer that comes too late is dropped. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiError, asApiError } from './api-error.ts';

export interface Loaded<T> {
  /** Kept while it is loaded again, so that a page does not flicker. */
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** `key` names what is loaded: another key starts afresh. */
export const useLoad = <T>(key: string, load: () => Promise<T>): Loaded<T> => {
  const [state, setState] = useState<{ key: string; data?: T; error?: ApiError }>({ key });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round loads again
  useEffect(() => {
    let isStale = false;
    latest.current().then(
      (data) => {
        if (!isStale) setState({ key, data });
      },
      (thrown: unknown) => {
        if (isStale) return;
        const error = asApiError(thrown);
        setState((old) =>
          old.key === key && old.data !== undefined
            ? { key, data: old.data, error }
            : { key, error },
        );
      },
    );
    return () => {
      isStale = true;
    };
  }, [key, round]);
  const reload = useCallback(() => setRound((n) => n + 1), []);
  const mine = state.key === key ? state : undefined;
  const data = mine?.data;
  const error = mine?.error;
  return { data, error, isLoading: data === undefined && error === undefined, reload };
};

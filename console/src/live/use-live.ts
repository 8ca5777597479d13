/** Live events inside components: listen while mounted, or reload what is shown when something happens. */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useServices } from '../api/services.tsx';
import type { ConnectionState, LiveEvent } from './live-events.ts';

/** However many events come, a page reloads no more often than this. */
const SETTLE_MS = 400;

/** Calls back on every event whose name fits; `names` must not change while mounted. */
export const useLive = (names: readonly string[], listener: (event: LiveEvent) => void): void => {
  const { live } = useServices();
  const latest = useRef(listener);
  latest.current = listener;
  const joined = names.join(' ');
  useEffect(() => live.on(joined.split(' '), (event) => latest.current(event)), [live, joined]);
};

/**
 * Reloads shortly after an event of these names, and when some may have been missed. With `calmMs` no
 * more often than that, however many events come.
 */
export const useReloadOn = (names: readonly string[], reload: () => void, calmMs = 0): void => {
  const reloadedAt = useRef(Number.NEGATIVE_INFINITY);
  const latest = useRef(reload);
  latest.current = reload;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  useLive([...names, 'connection.reopened', 'stream.reset'], () => {
    const calm = reloadedAt.current + calmMs - performance.now();
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        reloadedAt.current = performance.now();
        latest.current();
      },
      Math.max(SETTLE_MS, calm),
    );
  });
};

export const useConnectionState = (): ConnectionState => {
  const { live } = useServices();
  return useSyncExternalStore(
    (listener) => live.onState(listener),
    () => live.state(),
  );
};

/** Reloads what no event tells of, every few seconds while the tab is in sight. */
import { useEffect, useRef } from 'react';

const POLL_MS = 3_000;

export const usePolling = (reload: () => void, everyMs = POLL_MS): void => {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
};

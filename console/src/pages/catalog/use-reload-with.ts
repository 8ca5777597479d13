/** Loads again when the catalog has changed; what is shown, and what was typed, stays until then. */
import { useEffect, useRef } from 'react';

/** Reloads when `version` changes, as it does whenever the catalog does. */
export const useReloadWith = (version: string, reload: () => void): void => {
  const seen = useRef(version);
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    latest.current();
  }, [version]);
};

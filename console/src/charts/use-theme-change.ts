/** A number that grows whenever the colours change; a canvas has to be painted anew then. */
import { useEffect, useState } from 'react';

export const useThemeChange = (): number => {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const next = (): void => setRound((n) => n + 1);
    const chosen = new MutationObserver(next);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', next);
    return () => {
      chosen.disconnect();
      system.removeEventListener('change', next);
    };
  }, []);
  return round;
};

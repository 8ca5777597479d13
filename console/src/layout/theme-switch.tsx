/** Goes from the system's theme to light to dark and round again. */
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import type { IconName } from '../components/icon.tsx';
import { applyTheme, readTheme, type Theme } from '../theme/theme.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const ICON: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };

export const ThemeSwitch = () => {
  const [theme, setTheme] = useState(readTheme);
  const turn = (): void => {
    const next = NEXT[theme];
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Button
      kind="quiet"
      icon={ICON[theme]}
      onClick={turn}
      aria-label={`Theme: ${theme}. Change to ${NEXT[theme]}.`}
      title={`Theme: ${theme}`}
    />
  );
};

/** Light, dark, or what the system says. The choice is kept on this device only. */
export type Theme = 'light' | 'dark' | 'system';

const KEY = 'toolcrib.theme';

export const readTheme = (): Theme => {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
};

export const applyTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    window.localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be closed to us; the choice then lasts until the page is left.
  }
};

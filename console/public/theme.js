/* Sets the chosen theme before the first paint, so that a dark console does not flash white. */
try {
  const theme = localStorage.getItem('toolcrib.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be closed to us; the system's own theme is fine then.
}

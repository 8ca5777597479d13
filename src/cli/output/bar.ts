/** Horizontal bars: the longest fills the width, the others are in proportion. */

/** A value above nothing is never shown as nothing. */
export const bar = (value: number, most: number, width: number): string => {
  if (width <= 0) return '';
  const share = most > 0 ? Math.min(Math.max(value / most, 0), 1) : 0;
  const full = share > 0 ? Math.max(1, Math.round(share * width)) : 0;
  return '█'.repeat(full) + '░'.repeat(width - full);
};

/** Numbers, money and moments as text. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Old moments as a date: "212 days ago" helps nobody. */
const AS_DATE_MS = 14 * 86_400_000;

/** Writes a moment with its time zone, so that it can be compared with the log of another machine. */
export const exactTime = (at: number): string =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** Names the reader's time zone at a moment: `CET`, `UTC`, `GMT+5:30`. */
export const zoneName = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** Writes a day of UTC: figures are counted by such days. */
export const utcDay = (at: number): string =>
  new Date(at).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

export const relativeTime = (at: number, now: number): string => {
  const gap = at - now;
  const size = Math.abs(gap);
  if (size < 5_000) return 'just now';
  if (size > AS_DATE_MS) return new Date(at).toLocaleDateString('en-GB', { dateStyle: 'medium' });
  const [unit, ms] = UNITS.find(([, each]) => size >= each) ?? UNITS[3];
  const amount = `${Math.trunc(size / ms)} ${unit}`;
  return gap < 0 ? `${amount} ago` : `in ${amount}`;
};

/** Writes a duration. The unit is chosen after rounding: 999.6 ms are `1.0 s`. */
export const duration = (ms: number): string => {
  if (ms < 0.9995) return `${Math.round(ms * 1000)} µs`;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 3_597_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
};

/** Writes the duration of calls; a dash for calls that were refused or wait for a person. */
export const timed = (ms: number): string => (ms === 0 ? '–' : duration(ms));

/** Writes an amount. Small ones keep the digits that matter: $0.0125 is no cent, and none is rounded to zero. */
export const money = (usd: number): string => {
  if (usd === 0) return '$0';
  const size = Math.abs(usd);
  const most = size >= 0.1 ? 2 : size >= 0.01 ? 4 : 6;
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: most })}`;
};

export const count = (value: number): string => value.toLocaleString('en');

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Writes a size in steps of a thousand: `12.3 MB`. */
export const bytes = (size: number): string => {
  const step = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(size, 1)) / 3));
  const value = size / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[step]}`;
};

/** Writes a share of 0 to 1 as `12.5%`. */
export const percent = (share: number): string =>
  `${(share * 100).toLocaleString('en', { maximumFractionDigits: 1 })}%`;

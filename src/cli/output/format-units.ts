/** Formats values for people: time, money, counts, bars, shell arguments. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';

/** Quotes a text so that a POSIX shell passes it as one argument, unchanged. */
export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
] as const;

/** Formats a span such as `12 min`; below two minutes in seconds, never negative. */
export const formatSpan = (ms: number): string => {
  const [name, size] = UNITS.find(([, least]) => ms >= 2 * least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
};

/** Draws a bar. A value above 0 fills at least one character. */
export const bar = (value: number, max: number, width: number): string => {
  if (width <= 0) return '';
  const share = max > 0 ? Math.min(Math.max(value / max, 0), 1) : 0;
  const full = share > 0 ? Math.max(1, Math.round(share * width)) : 0;
  return '█'.repeat(full) + '░'.repeat(width - full);
};

const LEVELS = '▁▂▃▄▅▆▇█';

/**
 * Draws values as a row of small bars; when there is a 0, values above it are drawn higher than the
 * lowest bar.
 */
export const sparkline = (values: readonly number[]): string => {
  const max = Math.max(...values, 0);
  return values
    .map((value) => LEVELS[max > 0 ? Math.ceil((value / max) * (LEVELS.length - 1)) : 0])
    .join('');
};

/** Formats a share from 0 to 1: `1.2 %`; none and all have no digits after the point. */
export const formatShare = (share: number): string =>
  share === 0 || share === 1 ? `${share * 100} %` : `${(share * 100).toFixed(1)} %`;

/** Formats a duration. The unit is chosen for what is shown: 999.6 ms are `1.0 s`, and no minute has 60 s. */
export const formatDuration = (ms: number): string => {
  if (ms < 0.9995) return `${Math.max(0, Math.round(ms * 1000))} µs`;
  if (ms < 999.5) return `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < MINUTE_MS - 50) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
};

/** Formats the duration of a call; a dash for one that was refused or waits for a person: it took no time. */
export const formatTimed = (ms: number): string => (ms === 0 ? '–' : formatDuration(ms));

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes in steps of a thousand: `12.3 MB`. */
export const formatBytes = (bytes: number): string => {
  let size = Math.max(0, bytes);
  let unit = 0;
  for (; size >= 1000 && unit < BYTE_UNITS.length - 1; unit += 1) size /= 1000;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${BYTE_UNITS[unit]}`;
};

/** Formats dollars with six digits, the precision of the ledger. */
export const formatCost = (dollars: number): string =>
  dollars === 0 ? 'free' : `$${Number(dollars.toFixed(6))}`;

/** Groups digits without `Intl`: loading a locale takes longer than the rest of a short command. */
export const formatCount = (count: number): string =>
  String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** Counts things: `1 tool`, `2 tools`. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Formats a time as `2026-11-15 09:07:01Z`. */
export const formatTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;

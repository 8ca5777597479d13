/** Numbers as people read them: time, money, counts. */
import { MINUTE_MS } from '../../kit/data/durations.ts';

export const formatDuration = (ms: number): string => {
  if (ms < 1) return `${Math.max(0, Math.round(ms * 1000))} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / MINUTE_MS)} min ${Math.round((ms % MINUTE_MS) / 1000)} s`;
};

/** Six digits are all that the ledger knows. */
export const formatCost = (dollars: number): string =>
  dollars === 0 ? 'free' : `$${Number(dollars.toFixed(6))}`;

/** By hand: asking the engine for a locale costs more than the rest of a short command. */
export const formatCount = (count: number): string =>
  String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 tool`, `2 tools`. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Seconds are enough: `2026-11-15 09:07:01Z`. */
export const formatTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;

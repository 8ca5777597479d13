/** A span of time in its largest unit: enough to know whether something is urgent. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
] as const;

/** `12 min`; below a minute in seconds, never below nothing. */
export const formatSpan = (ms: number): string => {
  const [name, size] = UNITS.find(([, least]) => ms >= 2 * least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
};

/** A span of time in its largest unit: enough to know whether something is urgent. */

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `12 min`; below a minute in seconds, never below nothing. */
export const formatSpan = (ms: number): string => {
  const [name, size] = UNITS.find(([, least]) => ms >= 2 * least) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
};

/** Lengths of time in milliseconds. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);

/** A span of time as people write it. */
const SPAN = /^(\d{1,6})([smhdw])$/;

/** Reads a span such as `90s`, `5m`, `2h`, `7d` or `1w`; `undefined` for any other text. */
export const spanMs = (text: string): number | undefined => {
  const [, count, unit = ''] = SPAN.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS.get(unit) ?? 0);
};

/** Reads when something ends: a date, or how long from now. */
import { readMoment } from './moment.ts';

/** Milliseconds since the epoch. `8h` is eight hours from now. Fails with VALIDATION_ERROR. */
export const readDeadline = (option: string, text: string, now: number): number => {
  const moment = readMoment(option, text, now);
  return /^\d{4}-/.test(text) ? moment : now + (now - moment);
};

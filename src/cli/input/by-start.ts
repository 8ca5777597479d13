/** Ids can be shortened on the command line to a beginning that no other has. */
import { ToolFailure } from '../../contract/errors.ts';

/** Fewer characters than this are a slip rather than an id. */
const MIN_START = 4;

/** The entry of that id, or the only one whose id begins so; fails when several do. */
export const byStart = <T>(
  entries: readonly T[],
  typed: string,
  idOf: (entry: T) => string,
): T | undefined => {
  const exact = entries.find((entry) => idOf(entry) === typed);
  if (exact !== undefined || typed.length < MIN_START) return exact;
  const close = entries.filter((entry) => idOf(entry).startsWith(typed));
  if (new Set(close.map(idOf)).size > 1) {
    throw new ToolFailure('VALIDATION_ERROR', 'Several ids begin like that: type more of it.');
  }
  return close[0];
};

/** Says at which line and column JSON text is broken, or says what readers understand differently. */
import { findJsonFlaw } from '../../kit/text/strict-json.ts';

export interface JsonFault {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** `undefined` when the text is sound JSON. */
export const findJsonFault = (text: string): JsonFault | undefined => {
  const flaw = findJsonFlaw(text);
  if (flaw === undefined) return undefined;
  const before = text.slice(0, flaw.offset);
  const start = before.lastIndexOf('\n') + 1;
  return {
    line: before.split('\n').length,
    column: [...before.slice(start)].length + 1,
    message: flaw.message,
  };
};

/** Parses JSON that a person typed or piped in; faults are reported with line and column. */
import { withoutByteOrderMark } from '../../kit/text/byte-order-mark.ts';
import { findJsonFlaw } from '../../kit/text/strict-json.ts';
import { misuse } from './misuse.ts';

interface JsonFault {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Finds the first fault; `undefined` when the text is valid JSON. */
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

/** The hint for input that a command also takes as `key=value` pairs. */
const PAIRS = ['Or give the fields one by one: key=value.'];

/** Parses JSON. `where` names its origin in messages, e.g. `The input`. Fails with VALIDATION_ERROR. */
export const parseJson = (
  source: string,
  where: string,
  others: readonly string[] = PAIRS,
): unknown => {
  const text = withoutByteOrderMark(source);
  const fault = findJsonFault(text);
  if (fault === undefined) return JSON.parse(text);
  throw misuse(
    `${where} is not valid JSON: at line ${fault.line}, column ${fault.column}, ${fault.message}.`,
    'In a shell, put the whole JSON in single quotes, and names and strings in double quotes.',
    ...others,
  );
};

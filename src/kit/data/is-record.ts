/** Tells objects from everything else. */

export { isRecord } from '../../contract/is-record.ts';

/** Recognises anything with fields, also a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

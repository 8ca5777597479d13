/** Explains an error of the operating system about a file: it is a fault of the machine, and no bug. */
import { type ToolError, toolError } from '../../contract/errors.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { errorCodeOf, isError, propertyOf } from '../../kit/data/reason-of.ts';

interface Fault {
  readonly what: string;
  readonly remedy: string;
}

const NOT_ALLOWED: Fault = {
  what: 'This user may not use',
  remedy:
    'Make it and the folder around it readable and writable for this user, or work elsewhere.',
};
const FULL: Fault = {
  what: 'There is no room left for',
  remedy: 'Free some space there, then try again.',
};

const FAULTS: Readonly<Record<string, Fault>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: { what: 'Nothing can be written to', remedy: 'Its file system is mounted read-only.' },
  ENOSPC: FULL,
  EDQUOT: FULL,
};

/** Returns the error with its path and remedy; nothing for what is no such error. */
export const systemFault = (thrown: unknown): ToolError | undefined => {
  const code = errorCodeOf(thrown);
  const fault = isError(thrown) ? ownValue(FAULTS, code) : undefined;
  const path = propertyOf(thrown, 'path');
  if (!fault || typeof path !== 'string') return undefined;
  return toolError('EXECUTION_FAILED', `${fault.what} ${path} (${code}).`, {
    suggestions: [fault.remedy],
  });
};

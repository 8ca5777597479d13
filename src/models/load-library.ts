/** Loads an optional library when it is first used, or says what to install. */
import { ToolFailure } from '../contract/errors.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';

const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** Fails with DEPENDENCY_MISSING when one of the packages is not there. */
export const loadLibrary = async <T>(
  packages: readonly string[],
  load: () => Promise<T>,
): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    if (!MISSING.has(errorCodeOf(error))) throw error;
    throw new ToolFailure('DEPENDENCY_MISSING', 'The library for this model is not installed.', {
      suggestions: [`npm install ${packages.join(' ')}`],
    });
  }
};

/** Loads the library of a framework when a set for it is asked for, or says what to install. */
import { ToolFailure } from '../contract/errors.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';

const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** Fails with DEPENDENCY_MISSING when the package is not there. */
export const loadFramework = async <T>(name: string, load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    if (!MISSING.has(errorCodeOf(error))) throw error;
    throw new ToolFailure('DEPENDENCY_MISSING', `The library ${name} is not installed.`, {
      suggestions: [`npm install ${name}`],
    });
  }
};

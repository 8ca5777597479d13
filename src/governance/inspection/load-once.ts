/** Loads something heavy when it is first needed, and has it at hand from then on. */

/** A failure is not kept: the next one tries again. */
export const loadOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let value: T | undefined;
  return async () => {
    value ??= await load();
    return value;
  };
};

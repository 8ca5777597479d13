/**
 * Runs work on the same key one after the other, in order of arrival, and holds up no other work.
 */

export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createOneAtATime = (): OneAtATime => {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    tails.set(key, mine);
    try {
      return await mine;
    } finally {
      if (tails.get(key) === mine) tails.delete(key);
    }
  };
};

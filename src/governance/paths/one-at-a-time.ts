/** Lets work on the same key run one after the other, in the order it came, and no other work wait. */

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

/** Bounds on work: how many pieces at once, all or of one key, and how long one may take. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';

/** Does the same work on many items, at most `atOnce` of them at a time. Answers in the order of the items. */
export const inParallel = async <T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const answers: R[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of waiting) answers[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return answers;
};

/** Waits for the work so long and no longer: fails with TIMEOUT. The work itself is not stopped. */
export const within = async <T>(
  { after }: Pick<Runtime, 'after'>,
  ms: number,
  work: () => Promise<T>,
): Promise<T> => {
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const seconds = Math.ceil(ms / 1000);
    const timer = after(ms, () =>
      reject(new ToolFailure('TIMEOUT', `No answer within ${seconds} s.`)),
    );
    stop = () => timer.cancel();
  });
  try {
    // A check that throws instead of rejecting has failed as well.
    return await Promise.race([Promise.resolve().then(work), late]);
  } finally {
    stop?.();
  }
};

/** Runs work on the same key one after the other, in order of arrival; other keys do not wait. */
export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createOneAtATime = (): OneAtATime => {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    tails.set(key, result);
    try {
      return await result;
    } finally {
      if (tails.get(key) === result) tails.delete(key);
    }
  };
};

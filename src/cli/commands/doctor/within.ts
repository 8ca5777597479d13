/** Waits for something, but not for ever: what does not answer in time is as good as broken. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';

/** The answers in the order of the things. */
export const inParallel = async <T, R>(
  things: readonly T[],
  atOnce: number,
  work: (thing: T) => Promise<R>,
): Promise<readonly R[]> => {
  const answers: R[] = [];
  const waiting = things.entries();
  const worker = async (): Promise<void> => {
    for (const [at, thing] of waiting) answers[at] = await work(thing);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, things.length) }, worker));
  return answers;
};

/** Fails with TIMEOUT. What was started goes on, and whatever becomes of it is not waited for. */
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

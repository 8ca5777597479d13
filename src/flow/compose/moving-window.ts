/** Runs tasks with so many at once; the next one starts as soon as one ends. */

/** Stops to start tasks once `isStopped` says so. Tasks must not reject. */
export const movingWindow = async (
  tasks: readonly (() => Promise<void>)[],
  { size, isStopped }: { readonly size: number; isStopped(): boolean },
): Promise<void> => {
  const waiting = tasks.values();
  const work = async (): Promise<void> => {
    for (const task of waiting) {
      if (isStopped()) return;
      await task();
    }
  };
  await Promise.all(Array.from({ length: Math.min(size, tasks.length) }, work));
};

/** Does the same with many things, several at once and never more than that. */

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

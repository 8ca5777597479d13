/** Lets only so many pieces of work run at once; the others wait in order. */

export interface Turns {
  /** Runs the work when it is its turn. A signal that aborts while it waits takes it out of the queue. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export const takeTurns = (atOnce: number): Turns => {
  const waiting = new Set<() => void>();
  let running = 0;

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal.reason);
      };
      const begin = (): void => {
        waiting.delete(begin);
        signal.removeEventListener('abort', leave);
        running += 1;
        resolve();
      };
      if (signal.aborted) leave();
      else if (running < atOnce) begin();
      else {
        waiting.add(begin);
        signal.addEventListener('abort', leave, { once: true });
      }
    });

  return {
    async run(work, signal) {
      await turn(signal);
      try {
        return await work();
      } finally {
        running -= 1;
        const [next] = waiting;
        next?.();
      }
    },
  };
};

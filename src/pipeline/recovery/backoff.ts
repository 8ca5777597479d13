/** How long to wait before the next try. */
import type { Backoff } from '../../contract/retry.ts';

/** `attempt` counts the tries that failed, from 1. Never negative. */
export const backoffDelay = (backoff: Backoff, attempt: number, random: () => number): number => {
  switch (backoff.type) {
    case 'none':
      return 0;
    case 'fixed':
      return backoff.delay;
    case 'linear':
      return backoff.baseDelay + backoff.increment * (attempt - 1);
    case 'exponential':
      return Math.min(backoff.baseDelay * backoff.multiplier ** (attempt - 1), backoff.maxDelay);
    case 'jittered': {
      const base = backoffDelay(backoff.base, attempt, random);
      return Math.max(0, base + (random() * 2 - 1) * base * backoff.jitter);
    }
  }
};

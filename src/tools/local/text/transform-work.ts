/** The work of `text_transform`: everything that needs no model. */
import { lazy } from '../../../kit/data/lazy.ts';
import type { TransformInput } from './transform-schema.ts';
import { createSteps, type OfflineOperation, type Outcome } from './transform-steps.ts';

export interface TransformJob extends Omit<TransformInput, 'operation'> {
  readonly operation: OfflineOperation;
}

export interface Transformed {
  readonly outcome: Outcome;
  readonly warnings: readonly string[];
}

/** Kept, for its reader of English is large. */
const steps = lazy(createSteps);

/** What is quick is done at once, so that its time can be limited. */
export const prepare = async (job: TransformJob) => (): Transformed | Promise<Transformed> => {
  const warnings: string[] = [];
  const step = steps()[job.operation];
  const outcome = step(job, (message) => void warnings.push(message));
  return outcome instanceof Promise
    ? outcome.then((value) => ({ outcome: value, warnings }))
    : { outcome, warnings };
};

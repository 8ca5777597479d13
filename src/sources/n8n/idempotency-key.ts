/** Makes the key that names one run of a workflow. */
import { digestOf } from '../../kit/data/canonical-json.ts';

export interface KeyedRun {
  readonly workflowId: string;
  readonly input: unknown;
  /** What asked for the run: other askers get other runs, although the input is the same. */
  readonly triggeredBy: string;
}

/** Gives equal parts an equal key, whatever the order of the fields of the input. */
export const generateIdempotencyKey = ({ workflowId, input, triggeredBy }: KeyedRun): string =>
  `n8n-${digestOf([workflowId, input, triggeredBy])}`;

/** Makes the metadata of results that no call of the pipeline gave: of jobs, signatures and people. */
import type { ResultMetadata } from '../../contract/result.ts';

type Given = Pick<
  ResultMetadata,
  'executionId' | 'toolName' | 'timestamp' | 'traceId' | 'labels'
> & {
  /** None when absent. */
  readonly attempts?: number;
};

/** Completes the metadata of what took no time, cost nothing and touched nothing. */
export const plainMetadata = ({
  executionId,
  toolName,
  timestamp,
  traceId,
  labels,
  attempts = 0,
}: Given): ResultMetadata => ({
  executionId,
  toolName,
  version: '',
  timestamp,
  duration: 0,
  attempts,
  cost: 0,
  tokensUsed: 0,
  cached: false,
  degraded: false,
  resourcesUsed: [],
  traceId,
  labels,
});

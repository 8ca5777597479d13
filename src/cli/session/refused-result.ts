/** A result for a call that never got as far as the pipeline, in the shape of all others. */
import type { ToolFailure } from '../../contract/errors.ts';
import { toolError } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';

export const refusedResult = (tool: string, failure: ToolFailure, now: number): ToolResult => ({
  success: false,
  status: 'failure',
  error: toolError(failure.code, failure.message, failure.extras),
  metadata: {
    executionId: '',
    toolName: tool,
    version: '',
    timestamp: now,
    duration: 0,
    attempts: 0,
    cost: 0,
    tokensUsed: 0,
    cached: false,
    degraded: false,
    resourcesUsed: [],
    traceId: '',
    labels: { trust: 'trusted', sensitivity: 'public' },
  },
});

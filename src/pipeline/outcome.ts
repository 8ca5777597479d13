/** Builds the results the stages answer with. Metadata is filled in when the call is recorded. */
import type { CallRequest } from '../contract/call.ts';
import { type ErrorCode, type ErrorExtras, type ToolError, toolError } from '../contract/errors.ts';
import type {
  FailedResult,
  Labels,
  PendingApproval,
  PendingResult,
  ResultMetadata,
  ToolResult,
} from '../contract/result.ts';
import { evidenceOf } from './pipeline.ts';

export const NO_RESOURCES: readonly string[] = Object.freeze([]);
const UNRESOLVED: Labels = Object.freeze({ trust: 'trusted', sensitivity: 'public' });

const metadataOf = (call: CallRequest): ResultMetadata => {
  const ready = evidenceOf(call).ready;
  return {
    executionId: call.executionId,
    toolName: ready ? ready.tool.name : call.toolName,
    version: ready ? ready.tool.version : '',
    timestamp: call.startedAt,
    duration: 0,
    attempts: 0,
    cost: 0,
    tokensUsed: 0,
    cached: false,
    degraded: false,
    resourcesUsed: NO_RESOURCES,
    traceId: call.traceId,
    labels: ready ? ready.labels : UNRESOLVED,
  };
};

export const succeeded = <T>(call: CallRequest, data: T): ToolResult<T> => ({
  success: true,
  status: 'success',
  data,
  metadata: metadataOf(call),
});

/** Gives the status that goes with a code. */
const statusOf = (error: ToolError): FailedResult['status'] => {
  if (error.code === 'TIMEOUT') return 'timeout';
  if (error.code === 'CANCELLED') return 'cancelled';
  return DENIALS.has(error.code) ? 'denied' : 'failure';
};

const DENIALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'PERMISSION_DENIED',
  'SECURITY_VIOLATION',
  'TOOL_DISABLED',
  'TOOL_QUARANTINED',
  'AUTH_MISSING',
  // Only `waiting` makes a result that waits: a tool that fails with this code has no question.
  'APPROVAL_REQUIRED',
  'APPROVAL_EXPIRED',
  'USER_CANCELLED',
  'BUDGET_EXCEEDED',
  'RATE_LIMITED',
]);

export const failedWith = (call: CallRequest, error: ToolError): FailedResult => ({
  success: false,
  status: statusOf(error),
  error,
  metadata: metadataOf(call),
});

/** Makes the result of a refusal or a failure, with a code of the table. */
export const failed = (
  call: CallRequest,
  code: ErrorCode,
  because: ErrorExtras & { readonly message?: string } = {},
): FailedResult => failedWith(call, toolError(code, because.message, because));

export const waiting = (call: CallRequest, approval: PendingApproval): PendingResult => ({
  ...failed(call, 'APPROVAL_REQUIRED', {
    suggestions: [
      `Once approval ${approval.approvalId} is given, send the same call again with this approvalId.`,
    ],
  }),
  status: 'pending',
  approval,
});

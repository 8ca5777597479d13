/** Builds the results the stages answer with. Metadata is filled in when the call is recorded. */
import type { CallRequest } from '../contract/call.ts';
import { type ErrorCode, type ErrorExtras, type ToolError, toolError } from '../contract/errors.ts';
import type {
  FailedResult,
  Labels,
  PendingApproval,
  PendingResult,
  ResultMetadata,
  SuccessResult,
  ToolResult,
} from '../contract/result.ts';
import { plainObjects } from '../kit/data/plain-objects.ts';
import { evidenceOf } from './pipeline.ts';

export const NO_RESOURCES: readonly string[] = Object.freeze([]);
const UNRESOLVED: Labels = Object.freeze({ trust: 'trusted', sensitivity: 'public' });

const Metadata = plainObjects<ResultMetadata, [CallRequest]>(function (call) {
  const ready = evidenceOf(call).ready;
  this.executionId = call.executionId;
  this.toolName = ready ? ready.tool.name : call.toolName;
  this.version = ready ? ready.tool.version : '';
  this.timestamp = call.startedAt;
  this.duration = 0;
  this.attempts = 0;
  this.cost = 0;
  this.tokensUsed = 0;
  this.cached = false;
  this.degraded = false;
  this.resourcesUsed = NO_RESOURCES;
  this.traceId = call.traceId;
  this.labels = ready ? ready.labels : UNRESOLVED;
});

const Succeeded = plainObjects<SuccessResult, [CallRequest, unknown]>(function (call, data) {
  this.success = true;
  this.status = 'success';
  this.data = data;
  this.metadata = new Metadata(call);
});

export const succeeded = <T>(call: CallRequest, data: T): ToolResult<T> =>
  new Succeeded(call, data) as ToolResult<T>;

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
  // Only `waiting` makes a pending result: a tool that fails with this code has asked nobody.
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
  metadata: new Metadata(call),
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

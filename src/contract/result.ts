/** What every call answers with. A result is always returned, never thrown. */
import type { ToolError } from './errors.ts';

export type ToolStatus = 'success' | 'failure' | 'timeout' | 'cancelled' | 'denied' | 'pending';

export type Trust = 'trusted' | 'untrusted';
export type Sensitivity = 'public' | 'private' | 'secret';

/** Where data came from and how delicate it is; rules about data flow read it. */
export interface Labels {
  readonly trust: Trust;
  readonly sensitivity: Sensitivity;
}

export interface ResultMetadata {
  readonly executionId: string;
  readonly toolName: string;
  readonly version: string;
  /** Milliseconds since the epoch at which the call came in. */
  readonly timestamp: number;
  /** Milliseconds from the request to this result. */
  duration: number;
  attempts: number;
  /** US dollars settled for the call. */
  cost: number;
  tokensUsed: number;
  cached: boolean;
  /** The call whose result this is, where it was answered from its idempotency key or the cache. */
  replayOf?: string;
  degraded: boolean;
  /** Files, hosts and programs the broker opened for the tool. */
  resourcesUsed: readonly string[];
  /** Milliseconds of processor that the sandbox of the tool has used; absent when it was not measured. */
  cpuMs?: number;
  /** The most memory that the sandbox of the tool held at once; absent when it was not measured. */
  peakMemoryBytes?: number;
  readonly traceId: string;
  labels: Labels;
}

/** The approval a `pending` result waits for. */
export interface PendingApproval {
  readonly approvalId: string;
  readonly expiresAt: number;
}

interface ResultBase {
  readonly warnings?: readonly string[];
  readonly metadata: ResultMetadata;
}

/** The tool ran and answered. */
export interface SuccessResult<T = unknown> extends ResultBase {
  readonly success: true;
  readonly status: 'success';
  readonly data: T;
  readonly error?: undefined;
  readonly approval?: undefined;
  /** Given when `data` was shortened for a model: where all of it can be read. */
  readonly whole?: Omit<ResultHandle, 'preview'>;
}

/** The call was refused, failed, timed out or was cancelled; `error.code` says why. */
export interface FailedResult extends ResultBase {
  readonly success: false;
  readonly status: Exclude<ToolStatus, 'success' | 'pending'>;
  readonly error: ToolError;
  readonly data?: undefined;
  readonly approval?: undefined;
  readonly whole?: undefined;
}

/** The call waits for a person: make it again with `approvalId` once it is approved. */
export interface PendingResult extends ResultBase {
  readonly success: false;
  readonly status: 'pending';
  readonly error: ToolError;
  readonly approval: PendingApproval;
  readonly data?: undefined;
  readonly whole?: undefined;
}

/** Narrow it by `success` or by `status`: a success has `data`, everything else has `error`. */
export type ToolResult<T = unknown> = SuccessResult<T> | FailedResult | PendingResult;

/** A part of a result that is too large: read the rest with `crib.results.read(handle)`. */
export interface ResultHandle {
  readonly handle: string;
  readonly bytes: number;
  readonly preview: string;
}

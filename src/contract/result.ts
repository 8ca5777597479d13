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
  degraded: boolean;
  /** Files, hosts and programs the broker opened for the tool. */
  resourcesUsed: readonly string[];
  readonly traceId: string;
  labels: Labels;
}

/** The approval a `pending` result waits for. */
export interface PendingApproval {
  readonly approvalId: string;
  readonly expiresAt: number;
}

export interface ToolResult<T = unknown> {
  readonly success: boolean;
  readonly status: ToolStatus;
  readonly data?: T;
  readonly error?: ToolError;
  readonly warnings?: readonly string[];
  readonly approval?: PendingApproval;
  /** Given when `data` was shortened for a model: where all of it can be read. */
  readonly whole?: Omit<ResultHandle, 'preview'>;
  readonly metadata: ResultMetadata;
}

/** A result too large to hand over whole: read the rest with `crib.results.read(handle)`. */
export interface ResultHandle {
  readonly handle: string;
  readonly bytes: number;
  readonly preview: string;
}

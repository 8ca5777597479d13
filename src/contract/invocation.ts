/** The record of a workflow that was started and answers later, and the answer. */

export type InvocationStatus =
  /** On record; not sent to the service yet. */
  | 'pending'
  /** The service has accepted it. */
  | 'running'
  | 'success'
  | 'failure';

/** Plain JSON: it is kept in the store. */
export interface Invocation {
  /** A UUID of version 7. */
  readonly id: string;
  /** The name of the source in the configuration. */
  readonly source: string;
  readonly tool: string;
  readonly workflowId: string;
  readonly webhookPath: string;
  readonly idempotencyKey: string;
  readonly userId: string;
  readonly chatId: string;
  readonly triggeredBy: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly status: InvocationStatus;
  /** Names the call that delivers it; no other call may. */
  readonly delivery?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly completedAt?: number;
  readonly durationMs?: number;
  /** The id that the service gave the run. */
  readonly executionId?: string;
  readonly output?: unknown;
  readonly error?: string;
  /** Who ended it. A callback replaces what a failed delivery left, and nothing replaces a callback. */
  readonly endedBy?: 'callback' | 'delivery';
}

/** What a workflow says when it is done. */
export interface InvocationCompletion {
  readonly invocationId: string;
  readonly success: boolean;
  readonly output?: unknown;
  readonly error?: string;
}

export type CompletionOutcome =
  | 'completed'
  /** It was over already; nothing changed. */
  | 'ignored'
  /** This source has no such invocation. */
  | 'unknown';

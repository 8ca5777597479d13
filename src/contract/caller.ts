/** Who calls. Policy, limits, budgets, memory and the audit trail are all kept by these names. */

export type Isolation = 'none' | 'basic' | 'strict' | 'paranoid';

export interface Caller {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  /** One turn of an agent's loop. */
  readonly loopId: string;
  readonly roles: readonly string[];
  /** Permissions held, e.g. `tool:web_search`; `*` is all, and what a call has that names none. */
  readonly permissions: readonly string[];
  readonly isolation: Isolation;
}

export const LOCAL_CALLER: Caller = Object.freeze({
  userId: 'local',
  agentId: 'local',
  sessionId: 'local',
  loopId: 'local',
  roles: Object.freeze(['owner']),
  permissions: Object.freeze(['*']),
  isolation: 'none',
});

/** What one call may set besides its input. */
export interface CallOptions {
  readonly version?: string;
  /** The same key and input again returns the stored result: no second effect, cost or question. */
  readonly idempotencyKey?: string;
  /** Walks every gate, runs nothing and reports. */
  readonly dryRun?: boolean;
  readonly timeoutMs?: number;
  /** Cancels the call from outside. */
  readonly signal?: AbortSignal;
  /** The approval that a `pending` result named, now given. */
  readonly approvalId?: string;
  /** `model` cuts long strings and arrays down to what a prompt should hold. */
  readonly audience?: 'program' | 'model';
  readonly traceId?: string;
  /** The flow this call is a step of; budgets per flow go by it. Inner calls inherit it. */
  readonly flowId?: string;
  onProgress?(fraction: number, note: string | undefined): void;
}

/** What `execute` takes besides tool and input: who calls (the local owner by default) and how. */
export type CallAs = Partial<Caller> & CallOptions;

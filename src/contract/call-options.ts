/** How one call is made, besides its tool and its input. */
import type { Approver } from './approver.ts';
import type { AuditEntry } from './audit.ts';
import type { Caller } from './caller.ts';
import type { Elicit, ElicitUrl } from './elicitation.ts';
import type { Sample } from './sampling.ts';
import type { TraceContext } from './telemetry.ts';

/** A flow that has started the flow of a call, and what all of it may cost. */
export interface OuterFlow {
  readonly flowId: string;
  /** US dollars, where that is less than configured. */
  readonly usd?: number;
}

/** A person's yes to a plan that lists this call. Only the engine of flows can make one. */
export interface PlanConsent {
  /** The approval of the plan. */
  readonly approvalId: string;
  /** Who gave it. */
  readonly by: string;
}

/** Where a flow gathers the records of calls that only read. Only the engine of flows can make one. */
export interface RunRecordsHandle {
  /** Takes a record and how records are written; returns a promise where that is done at once. */
  add(entry: AuditEntry, write: WriteRecords): Promise<void> | undefined;
}

/** The run or job that a call belongs to. Only the engines of flows and of jobs can make one. */
export interface DurableWorkHandle {
  /** Differs from that of every other run and job. */
  readonly name: string;
}

/** Writes records. Rejects when the store fails; they are then written later. */
export type WriteRecords = (entries: readonly AuditEntry[]) => Promise<void>;

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
  /** How the caller names the trace; the id of `trace`, or of the call itself, by default. */
  readonly traceId?: string;
  /** The span that the call is made in, as W3C Trace Context names it: its own span becomes a child. */
  readonly trace?: TraceContext;
  /** The flow this call is a step of; budgets per flow go by it. Inner calls inherit it. */
  readonly flowId?: string;
  /** US dollars the user may spend in this day, where that is less than configured; inner calls inherit it. */
  readonly dailyUsd?: number;
  /** US dollars that all calls of the flow may cost together, where that is less than configured. */
  readonly flowUsd?: number;
  /** The flows around that of the call, outermost first: what it costs counts in each of them. */
  readonly outerFlows?: readonly OuterFlow[];
  /** What was approved with the plan of a flow; inner calls do not inherit it. */
  readonly planConsent?: PlanConsent;
  /** Gathers the record of a call that only reads; inner calls do not inherit it. */
  readonly runRecords?: RunRecordsHandle;
  /** The run or job that makes the call: its result counts for longer under its key. */
  readonly durable?: DurableWorkHandle;
  /** Who is asked about this very call, and about those it makes; the crib's own approver otherwise. */
  readonly approver?: Approver;
  /** Puts questions of MCP servers to the person behind this very call, and those it makes. */
  readonly elicit?: Elicit;
  /** Lets MCP servers ask the person behind this very call, and those it makes, to open a page. */
  readonly elicitUrl?: ElicitUrl;
  /** Lets MCP servers that may do so use the model of the client behind this very call. */
  readonly sample?: Sample;
  onProgress?(fraction: number, note: string | undefined): void;
}

/**
 * On whose behalf something is started, read or changed without a call: the local owner when absent. What
 * is about one call, such as `dryRun`, is refused.
 */
export type CallerAs = Partial<Caller> & Pick<CallOptions, 'dailyUsd'>;

/** What `execute` takes besides tool and input: who calls (the local owner by default) and how. */
export type CallAs = Partial<Caller> & CallOptions;

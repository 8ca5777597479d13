/** The event bus: what happens in the crib, for those who listen. Names are `noun.verb-ed`. */
import type { AlertSeverity } from './alerts.ts';
import type { ErrorCode } from './errors.ts';
import type { FlowStatus, JournalStep } from './flow-store.ts';
import type { HealthKind, HealthState } from './health.ts';
import type { ShadowFinding } from './policy.ts';
import type { ToolResult, ToolStatus } from './result.ts';
import type { SandboxUsage } from './sandbox.ts';
import type { ServerNotification, ServerState } from './servers.ts';

/** What one stage did with one call. Stages nest: the span of one holds those of all after it. */
export interface StageTrace {
  readonly stage: string;
  /** Milliseconds since the call came in. */
  readonly startMs: number;
  readonly durationMs: number;
  /** It handed the call on, gave the answer itself, or threw. */
  readonly outcome: 'passed' | 'answered' | 'threw';
}

/** A change of an alert, as listeners get it. */
export interface AlertChange {
  readonly notificationId: string;
  readonly alert: string;
  /** A tool, source, caller or server; empty for an alert about no single one. */
  readonly subject: string;
  readonly severity: AlertSeverity;
  readonly summary: string;
  /** True when a silence keeps its actions from running. */
  readonly silenced: boolean;
}

/** How a call went, in figures: without input, data or text of its own. */
export interface MeasuredCall {
  readonly executionId: string;
  readonly traceId: string;
  readonly tool: string;
  /** Of the tool; empty where there is no such tool. */
  readonly version: string;
  readonly userId: string;
  readonly status: ToolStatus;
  /** Of the question that the call waits for. */
  readonly approvalId: string | undefined;
  /** Absent when the call succeeded. */
  readonly code: ErrorCode | undefined;
  readonly durationMs: number;
  readonly costUsd: number;
  readonly tokens: number;
  readonly attempts: number;
  readonly cached: boolean;
  /** What its sandboxed runs took of the machine; absent where none ran, or none could tell. */
  readonly usage: SandboxUsage | undefined;
}

export interface CribEvents {
  'call.started': {
    readonly executionId: string;
    readonly tool: string;
    readonly userId: string;
  };
  'call.progressed': {
    readonly executionId: string;
    readonly fraction: number;
    readonly note: string | undefined;
  };
  /** Emitted with every `call.finished`. Cheaper to listen to, because it holds figures only. */
  'call.measured': MeasuredCall;
  'call.finished': {
    readonly tool: string;
    /** The call in one line, redacted. */
    readonly summary: string;
    readonly userId: string;
    readonly result: ToolResult;
    /** The resource use of its sandboxed runs; absent when there were none, or none was measured. */
    readonly usage?: SandboxUsage;
  };
  /** Stages are timed only while somebody listens to this. */
  'call.traced': { readonly executionId: string; readonly stages: readonly StageTrace[] };
  'approval.requested': {
    readonly approvalId: string;
    readonly tool: string;
    /** The call in one line, redacted. */
    readonly summary: string;
  };
  'approval.decided': { readonly approvalId: string; readonly approved: boolean };
  'permission.granted': { readonly grantId: string; readonly resource: string };
  'permission.revoked': { readonly grantId: string };
  /** A rule in shadow mode would have refused a call, or asked about it. */
  'policy.shadowed': {
    readonly executionId: string;
    readonly tool: string;
    readonly findings: readonly ShadowFinding[];
  };
  'tool.registered': { readonly tool: string; readonly version: string };
  'tool.unregistered': { readonly tool: string };
  /** Somebody switched it on or off. */
  'tool.switched': { readonly tool: string; readonly enabled: boolean };
  /** An MCP server is in another state than before. */
  'server.changed': { readonly server: string; readonly state: ServerState };
  /** An MCP server reported something by itself; a server that reports too much is cut short. */
  'server.notified': ServerNotification & { readonly server: string };
  /**
   * Calls of a tool are refused for a while, because it kept failing. With `server`, the circuit is that of all
   * tools of the server: the event comes once, with the tool whose call opened it. With `userId`, the circuit is
   * that of this caller alone.
   */
  'circuit.opened': { readonly tool: string; readonly server?: string; readonly userId?: string };
  'circuit.closed': { readonly tool: string; readonly server?: string; readonly userId?: string };
  /** A check found a subject in another state than the check before, in whichever process that was. */
  'health.changed': {
    /** As in `tool:git`, `server:github`, `store`. */
    readonly subject: string;
    readonly kind: HealthKind;
    readonly name: string;
    readonly state: HealthState;
    readonly healthy: boolean;
    /** Absent when it is the first result, and something is wrong. */
    readonly before?: HealthState;
  };
  /** An alert fires for a subject. */
  'alert.fired': AlertChange;
  /** The condition of an alert that fired holds no longer. */
  'alert.resolved': AlertChange;
  /** What a notification effect sent. */
  'effect.notified': {
    readonly event: string;
    readonly payload: unknown;
    readonly executionId: string;
  };
  /** A workflow that a call has started reported its end. */
  'workflow.completed': {
    readonly invocationId: string;
    readonly source: string;
    readonly workflowId: string;
    readonly success: boolean;
    readonly userId: string;
  };
  /** A flow was registered in this process. */
  'flow.registered': { readonly flow: string; readonly version: string };
  /** A run was started, or is in another status than before. */
  'flow.changed': {
    readonly runId: string;
    readonly flow: string;
    readonly status: FlowStatus;
    readonly userId: string;
  };
  /** A step of a run was begun or has ended. */
  'flow.stepped': {
    readonly runId: string;
    readonly step: Pick<JournalStep, 'key' | 'kind' | 'name' | 'state'>;
    readonly userId: string;
  };
  'file.changed': { readonly path: string; readonly executionId: string };
}

export type EventName = keyof CribEvents;

export interface Events {
  /**
   * Says whether somebody listens: lets the hot path skip building the payload.
   *
   * @example
   * console.log(crib.events.has('call.finished'));
   */
  has(name: EventName): boolean;
  /**
   * Calls all listeners of the event. For the crib itself.
   *
   * @example
   * crib.events.emit('file.changed', { path: 'a.txt', executionId });
   */
  emit<N extends EventName>(name: N, payload: CribEvents[N]): void;
  /**
   * Calls the listener on each event of a name; returns a function that removes it. A listener that
   * throws is logged; the others still get the event. An unknown name is refused with VALIDATION_ERROR.
   *
   * @example
   * const stop = crib.events.on('tool.registered', ({ tool }) => console.log(tool));
   * stop();
   */
  on<N extends EventName>(name: N, listener: (payload: CribEvents[N]) => void): () => void;
}

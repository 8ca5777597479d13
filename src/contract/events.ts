/** The event bus: what happens in the crib, for whoever watches. Names are `noun.verb-ed`. */
import type { ShadowFinding } from './policy.ts';
import type { ToolResult } from './result.ts';

export interface CribEvents {
  'call.started': { readonly executionId: string; readonly tool: string };
  'call.progressed': {
    readonly executionId: string;
    readonly fraction: number;
    readonly note: string | undefined;
  };
  'call.finished': { readonly tool: string; readonly result: ToolResult };
  'approval.requested': { readonly approvalId: string; readonly tool: string };
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
  'circuit.opened': { readonly tool: string };
  'circuit.closed': { readonly tool: string };
  /** What a notification effect sent. */
  'effect.notified': {
    readonly event: string;
    readonly payload: unknown;
    readonly executionId: string;
  };
  'file.changed': { readonly path: string; readonly executionId: string };
}

export type EventName = keyof CribEvents;

export interface Events {
  /** True when somebody listens: lets the hot path skip building the payload. */
  has(name: EventName): boolean;
  emit<N extends EventName>(name: N, payload: CribEvents[N]): void;
  /** Returns how to stop listening. A listener that throws is logged and disturbs nobody. */
  on<N extends EventName>(name: N, listener: (payload: CribEvents[N]) => void): () => void;
}

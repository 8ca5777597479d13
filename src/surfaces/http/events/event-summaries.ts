/**
 * The summary of each event for clients of the event stream, and who may see it. Summaries are
 * small and never hold whole inputs or results; an event that is not in the table is not sent.
 */
import type { CribEvents, EventName, MeasuredCall } from '../../../contract/events.ts';
import type { Role } from '../../../contract/tokens.ts';

export interface EventSummary {
  readonly data: Readonly<Record<string, unknown>>;
  /** The caller. An agent sees only its own calls. */
  readonly userId?: string;
}

/** What a row is read from. The figures of a call are enough for its end: its data would be copied in vain. */
type Payload<N extends EventName> = N extends 'call.finished' ? MeasuredCall : CribEvents[N];

interface Row<N extends EventName> {
  /**
   * `staff` are viewers, operators and admins; `own` adds the caller, `all` adds every agent.
   * `private` are viewers, admins and the caller.
   */
  readonly audience: 'staff' | 'own' | 'all' | 'private';
  readonly summarize: (payload: Payload<N>) => EventSummary;
}

type Table = { readonly [N in EventName]?: Row<N> };

/** The name of an unknown tool is whatever the caller sent. */
const MAX_NAME = 128;
const named = (tool: string): string => tool.slice(0, MAX_NAME);

/** A finished call, from an event or from a row of the trail. */
interface FinishedCall {
  readonly executionId: string;
  readonly tool: string;
  readonly version: string;
  readonly userId: string;
  readonly status: string;
  readonly code: string | undefined;
  readonly approvalId: string | undefined;
  readonly durationMs: number;
  readonly costUsd: number;
  readonly cached: boolean;
}

export const finishedSummary = (call: FinishedCall): EventSummary => {
  const { executionId, tool, version, userId, status, code, approvalId } = call;
  return {
    userId,
    data: {
      executionId,
      tool: named(tool),
      version,
      userId,
      status,
      ...(code !== undefined && { code }),
      ...(approvalId !== undefined && { approvalId }),
      durationMs: Math.round(call.durationMs * 1000) / 1000,
      costUsd: call.costUsd,
      cached: call.cached,
    },
  };
};

export const startedSummary = ({
  executionId,
  tool,
  userId,
}: CribEvents['call.started']): EventSummary => ({
  userId,
  data: { executionId, tool: named(tool), userId },
});

const unchanged = <N extends EventName>(audience: Row<N>['audience']): Row<N> => ({
  audience,
  summarize: (payload) => ({ data: { ...payload } }),
});

const TABLE: Table = {
  'call.started': { audience: 'own', summarize: startedSummary },
  'call.progressed': {
    audience: 'staff',
    summarize: ({ executionId, fraction }) => ({ data: { executionId, fraction } }),
  },
  'call.finished': { audience: 'own', summarize: finishedSummary },
  'approval.requested': unchanged('staff'),
  'approval.decided': unchanged('staff'),
  'permission.granted': unchanged('staff'),
  'permission.revoked': unchanged('staff'),
  'policy.shadowed': {
    audience: 'staff',
    summarize: ({ executionId, tool, findings }) => ({
      data: { executionId, tool, rules: findings.map(({ rule }) => rule) },
    }),
  },
  'tool.registered': unchanged('all'),
  'tool.unregistered': unchanged('all'),
  'flow.changed': {
    audience: 'private',
    summarize: ({ userId, flow, ...rest }) => ({
      userId,
      data: { ...rest, flow: named(flow), userId },
    }),
  },
  'flow.stepped': {
    audience: 'private',
    summarize: ({ userId, runId, step }) => ({
      userId,
      data: { runId, ...step, name: named(step.name) },
    }),
  },
  'server.changed': unchanged('staff'),
  'server.notified': unchanged('staff'),
  'circuit.opened': unchanged('staff'),
  'circuit.closed': unchanged('staff'),
  'health.changed': unchanged('staff'),
  'alert.fired': unchanged('staff'),
  'alert.resolved': unchanged('staff'),
};

/** The types of events that a client can request. */
export const STREAMED_EVENTS = Object.keys(TABLE) as readonly EventName[];

export const isStreamedEvent = (name: string): name is EventName => Object.hasOwn(TABLE, name);

/** Names the event of the crib that a streamed event is made of. */
export const sourceOf = (name: EventName): EventName =>
  name === 'call.finished' ? 'call.measured' : name;

/** Summarizes an event; `undefined` for one that is not sent. */
export const summarizeEvent = <N extends EventName>(
  name: N,
  payload: Payload<N>,
): EventSummary | undefined => (TABLE[name] as Row<N> | undefined)?.summarize(payload);

export interface EventViewer {
  readonly userId: string;
  readonly role: Role;
}

/** Tells whether a viewer may see an event. */
export const maySee = (
  { userId, role }: EventViewer,
  event: { readonly name: EventName; readonly userId?: string | undefined },
): boolean => {
  const audience = TABLE[event.name]?.audience;
  if (audience === undefined) return false;
  if (audience === 'private') {
    return role === 'viewer' || role === 'admin' || event.userId === userId;
  }
  if (role === 'viewer' || role === 'operator' || role === 'admin') return true;
  if (role !== 'agent') return false;
  return audience === 'all' || (audience === 'own' && event.userId === userId);
};

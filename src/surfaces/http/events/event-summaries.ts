/**
 * What a watcher is told of each event, and who may be told. Summaries are small and never hold whole
 * inputs or results; an event that is not in the table is told to nobody.
 */
import type { CribEvents, EventName } from '../../../contract/events.ts';
import type { Role } from '../../../contract/tokens.ts';

export interface EventSummary {
  readonly data: Readonly<Record<string, unknown>>;
  /** Whose call it was. An agent is told of its own only. */
  readonly userId?: string;
}

interface Row<N extends EventName> {
  /** `staff` reads everything there is, `own` adds the caller, `all` adds every agent. */
  readonly audience: 'staff' | 'own' | 'all';
  readonly summarize: (payload: CribEvents[N]) => EventSummary;
}

type Table = { readonly [N in EventName]?: Row<N> };

/** A name that no tool has is whatever the caller sent. */
const MAX_NAME = 128;
const named = (tool: string): string => tool.slice(0, MAX_NAME);

/** What is told of a call that is over. */
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

const finished = ({ tool, userId, result }: CribEvents['call.finished']): EventSummary => {
  const { executionId, version, duration, cost, cached } = result.metadata;
  return finishedSummary({
    executionId,
    tool,
    version,
    userId,
    status: result.status,
    code: result.error?.code,
    approvalId: result.approval?.approvalId,
    durationMs: duration,
    costUsd: cost,
    cached,
  });
};

export const startedSummary = ({
  executionId,
  tool,
  userId,
}: CribEvents['call.started']): EventSummary => ({
  userId,
  data: { executionId, tool: named(tool), userId },
});

const asItIs = <N extends EventName>(audience: Row<N>['audience']): Row<N> => ({
  audience,
  summarize: (payload) => ({ data: { ...payload } }),
});

const TABLE: Table = {
  'call.started': { audience: 'own', summarize: startedSummary },
  'call.progressed': {
    audience: 'staff',
    summarize: ({ executionId, fraction }) => ({ data: { executionId, fraction } }),
  },
  'call.finished': { audience: 'own', summarize: finished },
  'approval.requested': asItIs('staff'),
  'approval.decided': asItIs('staff'),
  'permission.granted': asItIs('staff'),
  'permission.revoked': asItIs('staff'),
  'policy.shadowed': {
    audience: 'staff',
    summarize: ({ executionId, tool, findings }) => ({
      data: { executionId, tool, rules: findings.map(({ rule }) => rule) },
    }),
  },
  'tool.registered': asItIs('all'),
  'tool.unregistered': asItIs('all'),
  'server.changed': asItIs('staff'),
  'circuit.opened': asItIs('staff'),
  'circuit.closed': asItIs('staff'),
};

/** The events that can be asked for. */
export const TOLD_EVENTS = Object.keys(TABLE) as readonly EventName[];

export const isToldEvent = (name: string): name is EventName => Object.hasOwn(TABLE, name);

/** `undefined` for an event that nobody is told. */
export const summarizeEvent = <N extends EventName>(
  name: N,
  payload: CribEvents[N],
): EventSummary | undefined => (TABLE[name] as Row<N> | undefined)?.summarize(payload);

export interface EventViewer {
  readonly userId: string;
  readonly role: Role;
}

/** May this viewer be told? Whatever is not allowed here is not. */
export const maySee = (
  { userId, role }: EventViewer,
  event: { readonly name: EventName; readonly userId?: string | undefined },
): boolean => {
  const audience = TABLE[event.name]?.audience;
  if (audience === undefined) return false;
  if (role === 'viewer' || role === 'operator' || role === 'admin') return true;
  if (role !== 'agent') return false;
  return audience === 'all' || (audience === 'own' && event.userId === userId);
};

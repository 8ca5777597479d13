/** Answers what became of an execution, from the calls under way and from the audit trail. */
import type { AuditRow } from '../../contract/audit.ts';
import type { CallRequest } from '../../contract/call.ts';
import { summaryOfRow } from '../../contract/call-summary.ts';
import type { ExecutionState, ExecutionStatus, RunningCall } from '../../contract/crib-members.ts';
import type { OpenIntent, Store } from '../../contract/store.ts';
import type { PipelineControl } from '../new-call.ts';
import { evidenceOf } from '../pipeline.ts';
import type { RunningCalls } from './running-calls.ts';

const running = (call: CallRequest): ExecutionStatus => {
  const waits = evidenceOf(call).grant?.ask === true && evidenceOf(call).approval === undefined;
  const last = (call.control as PipelineControl).last;
  return {
    executionId: call.executionId,
    tool: evidenceOf(call).ready?.tool.name ?? call.toolName,
    state: waits ? 'pending' : 'running',
    effect: call.notes.effectPossible ? 'unknown' : 'none',
    startedAt: call.startedAt,
    ...(last && {
      progress: {
        fraction: last.fraction,
        ...(last.note !== undefined && { note: last.note }),
      },
    }),
  };
};

const STATES: Readonly<Record<AuditRow['status'], ExecutionState>> = {
  success: 'completed',
  undone: 'completed',
  failure: 'failed',
  denied: 'failed',
  unknown: 'failed',
  timeout: 'timeout',
  cancelled: 'cancelled',
  pending: 'pending',
  started: 'running',
};

const effectIn = (rows: readonly AuditRow[], outcome: AuditRow): ExecutionStatus['effect'] => {
  if (rows.some(({ status }) => status === 'undone')) return 'undone';
  const { effect } = outcome.detail;
  if (effect === 'done' || effect === 'not_done' || effect === 'unknown') return effect;
  return outcome.kind === 'intent' ? 'unknown' : 'none';
};

const beginOf = ({ at, durationMs, detail }: AuditRow): number =>
  at - durationMs - (typeof detail.waitedMs === 'number' ? detail.waitedMs : 0);

const recorded = async (
  executionId: string,
  store: Pick<Store, 'audit' | 'intents'>,
): Promise<ExecutionStatus | undefined> => {
  const rows = await store.audit.query({ executionId });
  // Decisions and grants are on record under an id of their own, and are no calls.
  const calls = rows.filter(({ kind }) => kind !== 'event');
  const outcome = calls.find(({ kind }) => kind === 'outcome') ?? calls.at(-1);
  if (!outcome) return undefined;
  let state = STATES[outcome.status];
  if (state === 'running') {
    const open = await store.intents.open();
    const intent = open.find(({ entry }) => entry.executionId === executionId);
    if (!intent?.ownerAlive) state = 'failed';
  }
  return {
    executionId,
    tool: outcome.tool,
    state,
    effect: effectIn(rows, outcome),
    // The row of an outcome tells the end and how long it took.
    startedAt: Math.round(Math.min(rows.at(-1)?.at ?? outcome.at, beginOf(outcome))),
    ...(outcome.code !== '' && { code: outcome.code }),
  };
};

export const executionStatus = async (
  executionId: string,
  calls: RunningCalls,
  store: Pick<Store, 'audit' | 'intents'>,
): Promise<ExecutionStatus | undefined> => {
  const call = calls.get(executionId);
  return call ? running(call) : recorded(executionId, store);
};

const ownCall = (call: CallRequest): RunningCall => {
  const { userId, agentId, sessionId } = call.caller;
  return {
    ...running(call),
    userId,
    agentId,
    sessionId,
    tier: evidenceOf(call).ready?.tool.tier ?? '',
    summary: call.notes.summary ?? '',
    isHere: true,
  };
};

const callElsewhere = ({ entry }: OpenIntent): RunningCall => ({
  executionId: entry.executionId,
  tool: entry.tool,
  state: 'running',
  effect: 'unknown',
  startedAt: entry.at,
  userId: entry.userId,
  agentId: entry.agentId,
  sessionId: entry.sessionId,
  tier: entry.tier,
  summary: summaryOfRow(entry),
  isHere: false,
});

/** Lists the calls under way here, and those of other processes that may change something. */
export const runningCalls = async (
  calls: RunningCalls,
  { intents }: Pick<Store, 'intents'>,
): Promise<readonly RunningCall[]> => {
  // A call that ends here while the store is read must not be taken for one of another process.
  const ids = new Set(calls.all().map(({ executionId }) => executionId));
  const open = await intents.open();
  const own = calls.all().map(ownCall);
  for (const { executionId } of own) ids.add(executionId);
  const elsewhere = open
    .filter(({ ownerAlive, entry }) => ownerAlive && !ids.has(entry.executionId))
    .map(callElsewhere);
  return [...own, ...elsewhere].sort((one, other) => other.startedAt - one.startedAt);
};

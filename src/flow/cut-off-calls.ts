/**
 * Finds the calls that were under way when their run was cancelled. No step of its journal tells what became
 * of them, because a run that is over takes none; the audit trail has their intents.
 */
import type { AuditLog, AuditRow } from '../contract/audit.ts';
import type { FlowRun, JournalStep } from '../contract/flow-store.ts';
import { MINUTE_MS } from '../kit/data/durations.ts';
import { cancelledStep, cutOffStep } from './turn.ts';

export interface CutOffDeps {
  readonly audit: Pick<AuditLog, 'query'>;
}

/** How many calls of its user are looked at, the newest before the cancel. */
const MAX_LOOKED_AT = 10_000;

/** How far the clocks of two machines may differ. */
const CLOCK_SKEW_MS = MINUTE_MS;

/** Keys of undos and of other runs have more parts. */
const STEP_KEY = /^[^:]+$/;

/** Finds the step that a call was made for; nothing for the calls of others, of undos and of tools. */
const stepKeyOf = ({ detail }: AuditRow, runId: string): string | undefined => {
  const { idempotencyKey, parent } = detail;
  const prefix = `flow:${runId}:`;
  if (typeof idempotencyKey !== 'string' || parent !== undefined) return undefined;
  if (!idempotencyKey.startsWith(prefix)) return undefined;
  const key = idempotencyKey.slice(prefix.length);
  return STEP_KEY.test(key) ? key : undefined;
};

/** Lists the newest call of each step that is on record under no step. */
const unrecorded = (
  intents: readonly AuditRow[],
  { id }: FlowRun,
  steps: readonly JournalStep[],
): ReadonlyMap<string, AuditRow> => {
  const recorded = new Set(steps.map(({ executionId }) => executionId));
  const newest = new Map<string, AuditRow>();
  for (const intent of intents) {
    const key = stepKeyOf(intent, id);
    if (key !== undefined && !newest.has(key)) newest.set(key, intent);
  }
  for (const [key, { executionId }] of newest) if (recorded.has(executionId)) newest.delete(key);
  return newest;
};

/** Tells what became of a call, by its outcome where there is one. */
const endOf = async (
  { executionId }: AuditRow,
  { audit }: CutOffDeps,
): Promise<Pick<JournalStep, 'state' | 'error'>> => {
  const [outcome] = await audit.query({ executionId, kind: 'outcome', limit: 1 });
  if (outcome?.status === 'success') return { state: 'done' };
  const isWithoutEffect = outcome?.detail.effect === 'not_done';
  return { state: 'failed', error: isWithoutEffect ? cancelledStep() : cutOffStep(executionId) };
};

/** Makes a step of each call of a cancelled run that was under way; none for a run that was not cancelled. */
export const cutOffCalls = async (
  run: FlowRun,
  steps: readonly JournalStep[],
  deps: CutOffDeps,
): Promise<readonly JournalStep[]> => {
  if (run.status !== 'cancelled') return [];
  const { createdAt, updatedAt: finishedAt, caller } = run;
  const intents = await deps.audit.query({
    kind: 'intent',
    userId: caller.userId,
    from: createdAt - CLOCK_SKEW_MS,
    to: finishedAt + CLOCK_SKEW_MS,
    limit: MAX_LOOKED_AT,
  });
  const open = new Map(
    steps.filter(({ state }) => state === 'open').map((each) => [each.key, each]),
  );
  const ended = new Set(steps.filter(({ state }) => state !== 'open').map(({ key }) => key));
  const calls: JournalStep[] = [];
  for (const [key, intent] of unrecorded(intents, run, steps)) {
    const { executionId, tool: name, at: startedAt } = intent;
    const begun = { kind: 'call' as const, name, digest: '', startedAt, ...open.get(key) };
    const end = await endOf(intent, deps);
    // A later try goes by the key of the first one, whose end stays on record.
    const own = ended.has(key) ? `${key}.again` : key;
    calls.push({ ...begun, key: own, executionId, finishedAt, ...end });
  }
  return calls;
};

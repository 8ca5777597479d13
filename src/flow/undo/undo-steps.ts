/** Takes back what a failed run and the runs in it did, newest call first; each undo is a step of its own. */
import type { CallAs } from '../../contract/call-options.ts';
import type { FlowRun, Flows, JournalStep } from '../../contract/flow-store.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { RunJournal } from '../run-journal.ts';
import type { FlowSeals } from '../run-seals.ts';
import { callAsOf, type RunDeps, refusalCheck } from '../step-deps.ts';
import { resultEnd } from '../step-ends.ts';
import type { StepEnd, TurnEnd } from '../turn.ts';
import { type UndoableCall, type UndoableDeps, undoableCalls } from './undoable-calls.ts';

export interface UndoStepsDeps
  extends Pick<RunDeps, 'refusalOf' | 'tools'>,
    Pick<UndoableDeps, 'cutOffCalls'> {
  readonly runtime: Pick<Runtime, 'now'>;
  undo(executionId: string, as: CallAs): Promise<ToolResult>;
}

export interface UndoTurn {
  readonly run: FlowRun;
  readonly flows: Pick<Flows, 'get' | 'steps'>;
  readonly seals: FlowSeals;
  readonly journal: Pick<RunJournal, 'add' | 'flush'>;
}

type Waiting = Extract<TurnEnd, { type: 'parked' | 'blocked' }>;

const PREFIX = 'undo:';

/** Undoes one call, or asks again with the approval that was given. */
const undoOne = async (
  call: UndoableCall,
  open: JournalStep | undefined,
  { run, deps }: { readonly run: FlowRun; readonly deps: UndoStepsDeps },
): Promise<StepEnd> => {
  const approval = open?.approvalId === undefined ? {} : { approvalId: open.approvalId };
  const idempotencyKey = `flow:${run.id}:${PREFIX}${call.key}`;
  const as = { ...callAsOf(run), idempotencyKey, ...approval };
  return resultEnd(await deps.undo(call.executionId, as), deps.runtime.now());
};

const openUndo = ({ key, executionId, digest }: UndoableCall, startedAt: number): JournalStep => ({
  key: `${PREFIX}${key}`,
  kind: 'undo',
  name: executionId,
  digest,
  startedAt,
  state: 'open',
});

/** Writes the undo of a call as the journal holds it; a person cannot decide about a failed run's undo. */
const undoEntry = (
  call: UndoableCall,
  end: StepEnd,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): JournalStep => {
  const open = openUndo(call, startedAt);
  if (end.state === 'parked') return { ...open, ...end.step };
  const closed = { ...open, finishedAt: now };
  if (end.state === 'done') return { ...closed, state: 'done' };
  return { ...closed, state: 'failed', ...(end.error && { error: end.error }) };
};

/**
 * Undoes the calls of a failed run whose journal is written. Goes on with the next call when one cannot be
 * undone; a process that takes over skips what is done. Returns what it waits for where an undo needs
 * approval: the calls before it are undone after it.
 */
export const undoSteps = async (
  { run, flows, seals, journal }: UndoTurn,
  deps: UndoStepsDeps,
): Promise<Waiting | undefined> => {
  const steps = await flows.steps(run.id);
  const undos = new Map(
    steps.filter(({ kind }) => kind === 'undo').map((step) => [step.key, step]),
  );
  const refusal = refusalCheck(run, deps);
  for (const call of await undoableCalls(run.id, steps, { ...deps, flows, seals })) {
    const past = undos.get(`${PREFIX}${call.key}`);
    if (past && past.state !== 'open') continue;
    const startedAt = past?.startedAt ?? deps.runtime.now();
    if (call.error) {
      journal.add(
        undoEntry(call, { state: 'failed', error: call.error }, { startedAt, now: startedAt }),
      );
      continue;
    }
    const error = await refusal?.();
    if (error) return { type: 'blocked', waitsFor: 'caller', error };
    // On record before it begins, so that whoever wants to cancel the run sees what it does.
    if (!past) {
      journal.add(openUndo(call, startedAt));
      await journal.flush();
    }
    const end = await undoOne(call, past, { run, deps });
    const entry = undoEntry(call, end, { startedAt, now: deps.runtime.now() });
    journal.add(entry);
    await journal.flush();
    if (end.state !== 'parked') continue;
    const { wakeAt } = entry;
    return { type: 'parked', waitsFor: [end.waitsFor], ...(wakeAt !== undefined && { wakeAt }) };
  }
  return undefined;
};

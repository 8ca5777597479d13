/** One turn at a run: what it works with, and what is written when it is over. */
import { ToolFailure } from '../contract/errors.ts';
import type { FlowDefinition } from '../contract/flow.ts';
import {
  FINISHED,
  type FlowRun,
  type Flows,
  type JournalStep,
  type RunChange,
} from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { errorCodeOf, thrownTrace } from '../kit/data/reason-of.ts';
import { RunRecords } from '../pipeline/record/run-records.ts';
import { RunJournal } from './run-journal.ts';
import { changeOf } from './run-record.ts';
import { endSealOf, type FlowSeals } from './run-seals.ts';
import type { RunDeps } from './step-deps.ts';
import type { TurnEnd } from './turn.ts';
import { type UndoStepsDeps, undoSteps } from './undo/undo-steps.ts';

export interface NewTurn {
  readonly run: FlowRun;
  readonly flow: FlowDefinition;
  /** What is on record of the run. */
  readonly steps: readonly JournalStep[];
  readonly flows: Flows;
  readonly seals: FlowSeals;
  /** The run is not in the store yet. */
  readonly isNew: boolean;
  readonly runtime: Pick<Runtime, 'after'>;
  /** The records of calls that only read may be written with the steps. */
  readonly gathersRecords: boolean;
}

export interface Turn extends NewTurn {
  readonly journal: RunJournal;
  readonly records: RunRecords | undefined;
}

/** Records are gathered where writing one takes time, unless each has to be synced at once. */
export const openTurn = (turn: NewTurn): Turn => {
  const records = turn.gathersRecords && turn.seals.isOn ? new RunRecords() : undefined;
  return { ...turn, records, journal: new RunJournal({ ...turn, records }) };
};

export interface EndedTurn {
  readonly end: Ending;
  /** The newest event that the steps that wait have looked at. */
  readonly seenEvent: number;
}

type Ending = Exclude<TurnEnd, { type: 'lost' }>;

export interface ConcludeDeps extends UndoStepsDeps, Pick<RunDeps, 'redactError'> {
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  /**
   * Cancels the runs that a run has started and still waits for, and takes its questions back, but for
   * those of its undo.
   */
  endStepsBeforeUndo(runId: string): Promise<void>;
}

/** Undoes what a failed run did, where its flow says so. An undo that needs approval keeps it waiting. */
const endAfterUndo = async (turn: Turn, end: Ending, deps: ConcludeDeps): Promise<Ending> => {
  if (end.type !== 'failed' || !turn.flow.undoOnFailure) return end;
  await turn.journal.flush();
  // What it has started must not go on while its undo waits for a person.
  await deps.endStepsBeforeUndo(turn.run.id);
  return (await undoSteps(turn, deps)) ?? end;
};

/** Makes the change that ends a turn: without secrets, and sealed where another run reads it. */
const endingChange = async (
  { run, seals }: Turn,
  end: Ending,
  deps: ConcludeDeps,
): Promise<RunChange> => {
  const plain = changeOf(end, deps.runtime.now());
  const change = plain.error ? { ...plain, error: await deps.redactError(plain.error) } : plain;
  if (run.parent === undefined || !FINISHED.has(change.status)) return change;
  const { status, output, error } = change;
  const endSeal = endSealOf({ id: run.id, status, output, error }, seals);
  return endSeal === undefined ? change : { ...change, endSeal };
};

/** Makes the change once more as a failure when it cannot be made: another try would fail like this one. */
const madeChange = async (turn: Turn, end: Ending, deps: ConcludeDeps): Promise<RunChange> => {
  try {
    return await endingChange(turn, end, deps);
  } catch (error) {
    if (errorCodeOf(error) === 'STORE_UNAVAILABLE') throw error;
    const { log } = deps.runtime;
    log.error('The end of a run cannot be kept.', {
      runId: turn.run.id,
      error: thrownTrace(error),
    });
    const failed: Ending = { type: 'failed', error: new ToolFailure('INTERNAL') };
    return endingChange(turn, failed, { ...deps, redactError: async (internal) => internal });
  }
};

/** Writes the end of a turn, and returns the run as it is then. */
export const concludeTurn = async (
  turn: Turn,
  ended: EndedTurn,
  deps: ConcludeDeps,
): Promise<FlowRun> => {
  const end = await endAfterUndo(turn, ended.end, deps);
  const change = await madeChange(turn, end, deps);
  const waitsForEvent = change.waitsFor?.some((each) => each.startsWith('event:'));
  return turn.journal.release(change, waitsForEvent ? ended.seenEvent : undefined);
};

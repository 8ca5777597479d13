/** One turn at a run: what it works with, and what is written when it is over. */
import type { FlowDefinition } from '../contract/flow.ts';
import { FINISHED, type FlowRun, type Flows, type JournalStep } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
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
  /** Cancels the runs that a run has started and still waits for, and takes its questions back. */
  endOpenSteps(runId: string): Promise<void>;
}

/** Undoes what a failed run did, where its flow says so. An undo that needs approval keeps it waiting. */
const endAfterUndo = async (turn: Turn, end: Ending, deps: ConcludeDeps): Promise<Ending> => {
  if (end.type !== 'failed' || !turn.flow.undoOnFailure) return end;
  await turn.journal.flush();
  // What it has started must not go on while its undo waits for a person.
  await deps.endOpenSteps(turn.run.id);
  return (await undoSteps(turn, deps)) ?? end;
};

/** Writes the end of a turn, and returns the run as it is then. */
export const concludeTurn = async (
  turn: Turn,
  ended: EndedTurn,
  deps: ConcludeDeps,
): Promise<FlowRun> => {
  const { run, seals, journal } = turn;
  const end = await endAfterUndo(turn, ended.end, deps);
  const plain = changeOf(end, deps.runtime.now());
  const change = plain.error ? { ...plain, error: await deps.redactError(plain.error) } : plain;
  const isChildsEnd = run.parent !== undefined && FINISHED.has(change.status);
  const { status, output, error } = change;
  const endSeal = isChildsEnd ? endSealOf({ id: run.id, status, output, error }, seals) : undefined;
  const waitsForEvent = change.waitsFor?.some((each) => each.startsWith('event:'));
  return journal.release(
    endSeal === undefined ? change : { ...change, endSeal },
    waitsForEvent ? ended.seenEvent : undefined,
  );
};

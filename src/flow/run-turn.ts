/** One turn at a run: what it works with, and what is written when it is over. */
import type { FlowDefinition } from '../contract/flow.ts';
import { FINISHED, type FlowRun, type Flows, type JournalStep } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { RunJournal } from './run-journal.ts';
import { changeOf } from './run-record.ts';
import { endSealOf, type FlowSeals } from './run-seals.ts';
import type { TurnEnd } from './turn.ts';
import { type UndoStepsDeps, undoSteps } from './undo-steps.ts';

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
}

export interface Turn extends NewTurn {
  readonly journal: RunJournal;
}

export const openTurn = (turn: NewTurn): Turn => ({ ...turn, journal: new RunJournal(turn) });

export interface EndedTurn {
  readonly end: Ending;
  /** The newest event that the steps that wait have looked at. */
  readonly seenEvent: number;
}

type Ending = Exclude<TurnEnd, { type: 'lost' }>;

/** Undoes what a failed run did, where its flow says so. An undo that needs approval keeps it waiting. */
const endAfterUndo = async (turn: Turn, end: Ending, deps: UndoStepsDeps): Promise<Ending> =>
  end.type === 'failed' && turn.flow.undoOnFailure ? ((await undoSteps(turn, deps)) ?? end) : end;

/** Writes the end of a turn, and returns the run as it is then. */
export const concludeTurn = async (
  turn: Turn,
  ended: EndedTurn,
  deps: UndoStepsDeps,
): Promise<FlowRun> => {
  const { run, seals, journal } = turn;
  const end = await endAfterUndo(turn, ended.end, deps);
  const change = changeOf(end, deps.runtime.now());
  const isChildsEnd = run.parent !== undefined && FINISHED.has(change.status);
  const { status, output, error } = change;
  const endSeal = isChildsEnd ? endSealOf({ id: run.id, status, output, error }, seals) : undefined;
  const waitsForEvent = change.waitsFor?.some((each) => each.startsWith('event:'));
  return journal.release(
    endSeal === undefined ? change : { ...change, endSeal },
    waitsForEvent ? ended.seenEvent : undefined,
  );
};

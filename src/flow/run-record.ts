/** Checks what a run is started with, and turns the end of a turn into a change of its record. */
import { ToolFailure } from '../contract/errors.ts';
import type { FlowDefinition } from '../contract/flow.ts';
import type { FlowRun, FlowStatus, RunChange } from '../contract/flow-store.ts';
import { canonicalJson } from '../kit/data/canonical-json.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { isPlainId } from '../kit/text/plain-id.ts';
import { thrownError } from '../pipeline/record/thrown-error.ts';
import type { TurnEnd } from './turn.ts';

/** How long a finished run is kept. */
export const KEPT_MS = 30 * DAY_MS;

/** What a run is started with. */
export type NewRun = Pick<
  FlowRun,
  'id' | 'input' | 'caller' | 'dailyUsd' | 'outerFlows' | 'plan' | 'parent' | 'trace'
>;

const MAX_RUN_ID = 300;

/** Throws VALIDATION_ERROR for an id that was chosen and that not every store can keep, or nobody can type. */
export const assertRunId = (runId: string): void => {
  if (isPlainId(runId, MAX_RUN_ID)) return;
  throw new ToolFailure('VALIDATION_ERROR', 'The id of the run cannot be used.', {
    issues: [
      { path: ['runId'], message: `has to be 1 to ${MAX_RUN_ID} characters that can be seen` },
    ],
  });
};

export const newRun = ({ name, version }: FlowDefinition, part: NewRun, now: number): FlowRun => ({
  ...part,
  epoch: 1,
  flow: name,
  version,
  status: 'running',
  createdAt: now,
  updatedAt: now,
});

/**
 * Throws unless a run that has the id already is the one that was to be started: the same flow and
 * input, for the same user, started by the same step. Ids can be chosen, so others may have taken it.
 */
export const assertSameRun = (started: FlowRun, stored: FlowRun | undefined): void => {
  const [one, other] = [started, stored].map(
    (run) =>
      run &&
      canonicalJson([run.flow, run.input, run.caller.userId, run.parent ?? null, run.plan ?? null]),
  );
  if (one === other) return;
  throw new ToolFailure('CONFLICT', `The id ${started.id} belongs to another run.`, {
    suggestions: ['Choose another runId, or none.'],
  });
};

/** Makes a change that leaves nothing behind of what the run waited for. */
export const stopped = (status: FlowStatus, updatedAt: number): RunChange => ({
  status,
  updatedAt,
  wakeAt: undefined,
  waitsFor: undefined,
});

export const changeOf = (end: Exclude<TurnEnd, { type: 'lost' }>, now: number): RunChange => {
  switch (end.type) {
    case 'completed':
      return { ...stopped('completed', now), output: end.output };
    case 'failed':
      return { ...stopped('failed', now), error: thrownError(end.error) };
    case 'blocked':
      return { ...stopped('blocked', now), waitsFor: [end.waitsFor], error: end.error };
    case 'parked': {
      const { waitsFor, wakeAt } = end;
      const status = waitsFor.every((each) => each === 'time') ? 'sleeping' : 'waiting';
      return { ...stopped(status, now), waitsFor, wakeAt };
    }
  }
};

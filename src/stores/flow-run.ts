/** What both stores do with runs: apply a change, tell whether a run fits a filter. */
import { ToolFailure } from '../contract/errors.ts';
import {
  ANSWER_WAITS,
  type ClaimRequest,
  type FlowEvent,
  type FlowFilter,
  type FlowRun,
  isWithin,
  type JournalStep,
  MAX_EVENT_BYTES_WAITING,
  MAX_EVENTS,
  type RunChange,
} from '../contract/flow-store.ts';

export const DEFAULT_LIMIT = 100;

/** Applies a change; fields that are `undefined` in it are removed. */
export const changedRun = (run: FlowRun, change: RunChange): FlowRun => {
  const entries = Object.entries({ ...run, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as FlowRun;
};

/** Returns the run as it is after a process has taken it over. */
export const takenRun = (run: FlowRun, now: number): FlowRun => ({
  ...changedRun(run, { status: 'running', updatedAt: now, waitsFor: undefined, error: undefined }),
  epoch: run.epoch + 1,
});

/** Returns the run as it is after its process has given it up without having worked on it. */
export const dueAgain = (run: FlowRun, now: number): FlowRun => ({
  ...changedRun(run, { status: 'waiting', updatedAt: now, wakeAt: now, waitsFor: undefined }),
  epoch: run.epoch + 1,
});

export const fitsFilter = (run: FlowRun, filter: FlowFilter): boolean =>
  (filter.status === undefined || run.status === filter.status) &&
  (filter.flow === undefined || run.flow === filter.flow) &&
  (filter.userId === undefined || run.caller.userId === filter.userId) &&
  (filter.before === undefined || run.createdAt < filter.before);

/** Tells whether the answer of a person or of another run can end the wait of a run. */
export const waitsForAnswer = ({ status, waitsFor = [] }: FlowRun): boolean =>
  status === 'waiting' &&
  waitsFor.some((each) => ANSWER_WAITS.some((wait) => each.startsWith(wait)));

/**
 * What the record of such a run contains, so that a database passes over those that wait for events, of
 * which there may be thousands. Other records may contain it as well.
 */
export const ANSWER_MARKS = ANSWER_WAITS.map((wait) => `"${wait}`);

/** Tells whether a run that is due is one of those that a claim asks for. */
export const isClaimable = (run: FlowRun, { flows, within }: ClaimRequest): boolean =>
  flows.has(`${run.flow}@${run.version}`) && (!within || isWithin(run, within));

export const notOwned = (runId: string): ToolFailure =>
  new ToolFailure('CONFLICT', `Another process has taken over the run ${runId}.`, {
    suggestions: ['Look at it with toolcrib flow status.'],
  });

/** Tells whether an event makes a run due: others change nothing of what the run waits for. */
export const wakes = ({ status, waitsFor }: FlowRun, { name }: Pick<FlowEvent, 'name'>): boolean =>
  status === 'waiting' && waitsFor?.includes(`event:${name}`) === true;

/** Lists the events that these steps have taken. */
export const takenEvents = (steps: readonly JournalStep[]): readonly number[] => {
  const ids: number[] = [];
  for (const { eventId } of steps) if (eventId !== undefined) ids.push(eventId);
  return ids;
};

const MIB = 1_048_576;

export const tooManyEvents = (runId: string): ToolFailure => {
  const most = `${MAX_EVENTS} events or ${MAX_EVENT_BYTES_WAITING / MIB} MiB of them`;
  return new ToolFailure(
    'CONFLICT',
    `The run ${runId} keeps at most ${most} that it has not taken.`,
    {
      suggestions: ['Send it the events that it waits for; toolcrib flow status shows which.'],
    },
  );
};

/** So much of the text of an event is read for its name, which stands first. */
export const EVENT_HEAD = 2_048;

const HEAD = /^\{"name":("(?:[^"\\]|\\.)*"),/;

/** Reads the name of an event from the head of its text; `undefined` for one that is not in it as a whole. */
export const nameInHead = (head: string): string | undefined => {
  const name = HEAD.exec(head)?.[1];
  return name === undefined ? undefined : (JSON.parse(name) as string);
};

export const parseRecord = <T>({ record }: { readonly record: string }): T =>
  JSON.parse(record) as T;

/** What keeps a run from going on, once nothing but people can continue it. */
import type { CribFlows } from './flow.ts';
import type { FlowRun, JournalStep } from './flow-store.ts';
import { isTimeLimit, waitingApprovals } from './flow-view.ts';

/** What a run comes down to that does nothing more by itself, with the runs that it has started. */
export interface RunStop {
  /** Approvals that a person has to answer. */
  readonly approvals: readonly string[];
  /** Runs that it has started and that are blocked. */
  readonly blocked: readonly FlowRun[];
}

type Runs = Pick<CribFlows, 'get' | 'steps'>;

const CHILD = 'run:';
const TIME = 'time';
/** What of the causes of a wait is a question, or may come down to one or to a blocked run. */
const OF_PEOPLE = /^(?:approval:|run:|time$)/;
const MAX_DEPTH = 8;

/** Tells whether a step will end by itself: a sleep, or a limit that is over at this moment. */
const endsByItself = (step: JournalStep, now: number): boolean =>
  step.kind === 'sleep' &&
  step.state === 'open' &&
  (!isTimeLimit(step) || (step.wakeAt ?? 0) <= now);

/** Tells whether a run also sleeps. A time limit is no sleep: until then only people change anything. */
const sleeps = async (flows: Runs, { id, waitsFor }: FlowRun, now: number): Promise<boolean> =>
  waitsFor?.includes(TIME) === true &&
  (await flows.steps(id)).some((step) => endsByItself(step, now));

const stopIn = async (
  flows: Runs,
  run: FlowRun | undefined,
  { now, depth }: { readonly now: number; readonly depth: number },
): Promise<RunStop | undefined> => {
  if (run?.status === 'blocked') return { approvals: [], blocked: [run] };
  if (run?.status !== 'waiting' || depth > MAX_DEPTH) return undefined;
  const { waitsFor = [] } = run;
  if (!waitsFor.every((cause) => OF_PEOPLE.test(cause)) || (await sleeps(flows, run, now)))
    return undefined;
  const approvals = [...waitingApprovals(run)];
  const blocked: FlowRun[] = [];
  for (const cause of waitsFor) {
    if (!cause.startsWith(CHILD)) continue;
    const child = await flows.get(cause.slice(CHILD.length));
    const inner = await stopIn(flows, child, { now, depth: depth + 1 });
    if (!inner) return undefined;
    approvals.push(...inner.approvals);
    blocked.push(...inner.blocked);
  }
  return approvals.length + blocked.length > 0 ? { approvals, blocked } : undefined;
};

/**
 * Says what keeps a waiting run from going on: open questions, and blocked runs that it has started.
 * `undefined` for one that is not waiting, or that something else may continue first.
 */
export const stopOf = async (
  flows: Runs,
  run: FlowRun,
  now: number,
): Promise<RunStop | undefined> => {
  if (run.status !== 'waiting') return undefined;
  const stop = await stopIn(flows, run, { now, depth: 0 });
  if (!stop) return undefined;
  // A sleep that ended between the two reads has let the run go on.
  const latest = await flows.get(run.id);
  return latest?.status === run.status && latest.updatedAt === run.updatedAt ? stop : undefined;
};

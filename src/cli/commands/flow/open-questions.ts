/** Finds the questions without whose answers a run does nothing more. */
import type { Crib } from '../../../contract/crib.ts';
import type { FlowRun, JournalStep } from '../../../contract/flow-store.ts';
import { isTimeLimit, waitingApprovals } from '../../../contract/flow-view.ts';

const CHILD = 'run:';
const TIME = 'time';
/** What of the causes of a wait is a question, or may come down to one. */
const OF_PEOPLE = /^(?:approval:|run:|time$)/;
const MAX_DEPTH = 8;

/** Tells whether a step will end by itself: a sleep, or a limit that is over at this moment. */
const endsByItself = (step: JournalStep, now: number): boolean =>
  step.kind === 'sleep' &&
  step.state === 'open' &&
  (!isTimeLimit(step) || (step.wakeAt ?? 0) <= now);

/** Tells whether a run also sleeps. A time limit is no sleep: until then only an answer changes anything. */
const sleeps = async (crib: Crib, { id, waitsFor }: FlowRun, now: number): Promise<boolean> =>
  waitsFor?.includes(TIME) === true &&
  (await crib.flows.steps(id)).some((step) => endsByItself(step, now));

const questionsIn = async (
  crib: Crib,
  run: FlowRun | undefined,
  { now, depth }: { readonly now: number; readonly depth: number },
): Promise<readonly string[]> => {
  if (run?.status !== 'waiting' || depth > MAX_DEPTH) return [];
  const { waitsFor = [] } = run;
  if (!waitsFor.every((cause) => OF_PEOPLE.test(cause)) || (await sleeps(crib, run, now)))
    return [];
  const approvals = [...waitingApprovals(run)];
  for (const cause of waitsFor) {
    if (!cause.startsWith(CHILD)) continue;
    const child = await crib.flows.get(cause.slice(CHILD.length));
    const inner = await questionsIn(crib, child, { now, depth: depth + 1 });
    if (inner.length === 0) return [];
    approvals.push(...inner);
  }
  return approvals;
};

/** Lists the approvals that a run waits for; empty when something else may continue it first. */
export const openQuestions = async (
  crib: Crib,
  run: FlowRun,
  now: number,
): Promise<readonly string[]> => {
  const approvals = await questionsIn(crib, run, { now, depth: 0 });
  if (approvals.length === 0) return approvals;
  // A sleep that ended between the two reads has let the run go on.
  const latest = await crib.flows.get(run.id);
  return latest?.status === run.status && latest.updatedAt === run.updatedAt ? approvals : [];
};

/**
 * Finds waiting runs whose answer is there: an approval that was decided, or a child that has ended, in
 * whichever process. The store is asked again and again, so that no wake-up can be lost between two.
 */
import type { ApprovalRecord } from '../../contract/approver.ts';
import {
  ANSWER_WAITS,
  type ClaimRequest,
  FINISHED,
  type FlowRun,
  type Flows,
  isWithin,
} from '../../contract/flow-store.ts';
import { flowKey } from '../flow-registry.ts';

export interface AnsweredWaitsDeps {
  readonly flows: Flows;
  approval(approvalId: string): Promise<ApprovalRecord | undefined>;
}

const [APPROVAL, CHILD] = ANSWER_WAITS;

/** How many waiting runs one look reads, the newest. */
const MAX_WAITING = 10_000;

/** For how many runs the store is asked at a time: one after the other they would take seconds. */
const ASKED_AT_ONCE = 64;

export const approvalWait = (approvalId: string): string => `${APPROVAL}${approvalId}`;
export const childWait = (runId: string): string => `${CHILD}${runId}`;

/** Tells whether what a run waits for is there. Events and times are the store's business. */
export const isAnswered = async (
  waitsFor: string,
  { flows, approval }: AnsweredWaitsDeps,
): Promise<boolean> => {
  if (waitsFor.startsWith(APPROVAL)) {
    return (await approval(waitsFor.slice(APPROVAL.length)))?.state !== 'waiting';
  }
  if (!waitsFor.startsWith(CHILD)) return false;
  const child = await flows.get(waitsFor.slice(CHILD.length));
  return child !== undefined && FINISHED.has(child.status);
};

/** Tells whether any of what a run waits for is there. */
export const hasAnswer = async (
  { waitsFor = [] }: FlowRun,
  deps: AnsweredWaitsDeps,
): Promise<boolean> => {
  for (const each of waitsFor) if (await isAnswered(each, deps)) return true;
  return false;
};

/** Makes runs due whose answer is there, of those that this process may continue; says how many. */
export const wakeAnswered = async (
  { now, flows: flowKeys, within }: Omit<ClaimRequest, 'limit'>,
  deps: AnsweredWaitsDeps,
): Promise<number> => {
  const runs = await deps.flows.waitingForAnswer(MAX_WAITING);
  const waiting = runs.filter(
    (run) =>
      !(run.wakeAt !== undefined && run.wakeAt <= now) &&
      flowKeys.has(flowKey({ name: run.flow, version: run.version })) &&
      (!within || isWithin(run, within)),
  );
  let woken = 0;
  for (let at = 0; at < waiting.length; at += ASKED_AT_ONCE) {
    const asked = waiting.slice(at, at + ASKED_AT_ONCE);
    const answers = await Promise.all(asked.map((run) => hasAnswer(run, deps)));
    const answered = asked.filter((_, place) => answers[place]);
    await Promise.all(answered.map(({ id }) => deps.flows.wake(id, now)));
    woken += answered.length;
  }
  return woken;
};

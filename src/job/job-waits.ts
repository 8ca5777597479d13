/** Finds the questions to a person that jobs wait for. */
import type { ApprovalRecord } from '../contract/approver.ts';
import { APPROVAL_WAIT } from '../contract/flow-view.ts';
import { waitingJobOf } from '../contract/job-view.ts';
import type { Job } from '../contract/queue.ts';
import type { Runtime } from '../contract/runtime.ts';

export interface JobWaitsDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  /** Lists the questions that wait for an answer. */
  questions(): Promise<readonly ApprovalRecord[]>;
}

const mayWait = ({ state }: Job): boolean => state === 'delayed' || state === 'active';

const isOf =
  (job: Job) =>
  (question: ApprovalRecord): boolean =>
    waitingJobOf(question) === job.id && question.userId === job.caller.userId;

/** Adds to each job which questions it waits for. Reads the questions only where a job may have one. */
export const withWaits = async (
  jobs: readonly Job[],
  { runtime, questions }: JobWaitsDeps,
): Promise<readonly Job[]> => {
  if (!jobs.some(mayWait)) return jobs;
  const now = runtime.now();
  const open = (await questions()).filter(
    (question) => question.expiresAt > now && waitingJobOf(question) !== undefined,
  );
  return jobs.map((job) => {
    const waitsFor = mayWait(job)
      ? open.filter(isOf(job)).map(({ id }) => `${APPROVAL_WAIT}${id}`)
      : [];
    return waitsFor.length === 0 ? job : { ...job, waitsFor };
  });
};

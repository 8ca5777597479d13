/** Which jobs a question to a person belongs to. The question names the call that asked, in `step`. */
import type { ApprovalRecord } from './approver.ts';

/** Ids of jobs have no colon. Calls that only read go by the name of their job alone. */
const CALL_OF_JOB = /^job:([^:]+)(?::|$)/;
/** The runs of an `execute_workflow` job have its id and a number. */
const CALL_OF_JOBS_RUN = /^flow:job-([^:]+)-\d+(?::|$)/;

type Question = Pick<ApprovalRecord, 'step'>;

/** Names the job whose own call asked; `undefined` for any other call, also for one of a run that a job started. */
export const askingJobOf = ({ step = '' }: Question): string | undefined =>
  CALL_OF_JOB.exec(step)?.[1];

/** Names the job that goes on once the question is answered: one whose call asked, or whose run did. */
export const waitingJobOf = (question: Question): string | undefined =>
  askingJobOf(question) ?? CALL_OF_JOBS_RUN.exec(question.step ?? '')?.[1];

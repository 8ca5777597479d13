/** What adding a job and setting a schedule have in common. */
import { type Caller, isOwner } from '../contract/caller.ts';
import type { JobAs } from '../contract/job.ts';
import type { NewJob, Queue } from '../contract/queue.ts';
import { callerOf } from '../pipeline/new-call.ts';
import type { JobTypes } from './job-types.ts';
import { sealedText } from './new-job.ts';

export interface AddJobDeps {
  queue(): Promise<Queue>;
  /** Counts a job of this caller. Throws RATE_LIMITED for one too many. */
  countStart(caller: Caller): Promise<void>;
  seal(text: string): Promise<string | undefined>;
}

/** Lists the queues of this program: those of its types of job, and those of its configuration. */
export const knownQueues = ({
  types,
  settings,
}: {
  readonly types: Pick<JobTypes, 'queues'>;
  readonly settings: { readonly queues: Readonly<Record<string, unknown>> };
}): readonly string[] => [...new Set([...types.queues(), ...Object.keys(settings.queues)])];

/** Returns the user whose jobs a caller may see; `undefined` for one who may see all. */
export const seenUser = (as: JobAs | undefined): string | undefined => {
  const caller = callerOf(as);
  return isOwner(caller) ? undefined : caller.userId;
};

/** Adds the seal of the user, where the queue needs one. */
export const sealed = async <T extends Partial<NewJob>>(
  job: T,
  { seal }: Pick<AddJobDeps, 'seal'>,
): Promise<T & Pick<NewJob, 'seal'>> => {
  const text = await seal(sealedText(job as unknown as NewJob));
  return text === undefined ? job : { ...job, seal: text };
};

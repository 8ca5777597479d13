/** Finds a job by its id, and shows its state in its colour. */
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Job, JobState } from '../../../contract/queue.ts';
import { byStart } from '../../input/by-start.ts';
import type { Io } from '../../io.ts';
import type { Cell } from '../../output/table.ts';

/** How many jobs are searched for a shortened id. */
const MAX_SEARCHED = 1_000;

const noJob = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'There is no job of that id.', {
    suggestions: ['See which there are: toolcrib jobs list'],
  });

/** Finds a job by its id, or by a unique beginning of it. Fails with NOT_FOUND. */
export const findJob = async (crib: Crib, id: string): Promise<Job> => {
  const job =
    (await crib.jobs.get(id)) ??
    byStart(await crib.jobs.list({ limit: MAX_SEARCHED }), id, (job) => job.id);
  if (job) return job;
  throw noJob();
};

export const stateCell = (state: JobState, { ink }: Io): Cell => {
  const paints = { completed: ink.green, dead: ink.red, active: ink.cyan, cancelled: ink.dim };
  const paint = Object.hasOwn(paints, state) ? paints[state as keyof typeof paints] : undefined;
  return paint ? { text: state, paint } : { text: state };
};

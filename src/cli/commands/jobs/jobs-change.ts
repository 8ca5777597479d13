/** `toolcrib jobs cancel`, `requeue` and `remove`: change one job. */
import type { Command } from 'commander';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, printDone, printJson } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';
import { findJob } from './find-job.ts';

type Change = 'cancel' | 'requeue' | 'remove';

const DONE: Readonly<Record<Change, string>> = {
  cancel: 'Cancelled',
  requeue: 'Waits again',
  remove: 'Removed',
};

const WHEN: Readonly<Record<Change, string>> = {
  cancel: 'Only a job that is not finished can be cancelled.',
  requeue: 'Only a dead or cancelled job can be put back.',
  remove: 'A job that runs cannot be removed: cancel it first.',
};

const change = async (crib: Crib, what: Change, id: string): Promise<string> => {
  const job = await findJob(crib, id);
  if (await crib.jobs[what](job.id)) return job.id;
  const message = `The job is ${(await crib.jobs.get(job.id))?.state ?? 'gone'}.`;
  throw new ToolFailure('CONFLICT', message, { suggestions: [WHEN[what]] });
};

const changeCommand =
  (what: Change) =>
  (jobs: Command, io: Io): Command =>
    withExamples(
      withJson(jobs.command(`${what} <id>`)).action(
        leaving(io, (typed: string) =>
          withStore(io, async ({ crib }) => {
            const id = await change(crib, what, typed);
            if (io.json) printJson(io, { id, done: what });
            else printDone(io, `${DONE[what]}: ${id}`);
            return 0;
          }),
        ),
      ),
      `toolcrib jobs ${what} <id>`,
    );

export const jobsCancelCommand = changeCommand('cancel');
export const jobsRequeueCommand = changeCommand('requeue');
export const jobsRemoveCommand = changeCommand('remove');

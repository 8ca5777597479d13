/** `toolcrib jobs list`: the jobs, newest first. */
import type { Command } from 'commander';
import { waitingApprovals } from '../../../contract/flow-view.ts';
import { JOB_STATES, type Job, type JobFilter } from '../../../contract/queue.ts';
import { compact } from '../../../kit/data/compact.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { plainJob } from '../../../surfaces/http/job-access.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse, wholeNumber } from '../../input/misuse.ts';
import { readMoment } from '../../input/moment.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { agoCell, type Cell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { shortApproval } from '../approvals/approvals-list.ts';
import { stateCell } from './find-job.ts';
import { errorText, subjectOf } from './job-text.ts';

const HEAD = {
  names: ['job', 'type', 'queue', 'state', 'tries', 'added', 'user', 'note'],
  /** What a narrow terminal does without: tries, queue, user, when. */
  spare: [4, 2, 6, 5],
};
const LIMIT = 50;

interface ListOptions {
  readonly queue?: string;
  readonly type?: string;
  readonly state?: string;
  readonly user?: string;
  readonly before?: string;
  readonly limit?: number;
}

const filterFrom = (io: Io, options: ListOptions): JobFilter => {
  const { queue, type, state, user, before, limit = LIMIT } = options;
  const chosen = JOB_STATES.find((one) => one === state);
  if (state !== undefined && !chosen) {
    throw misuse(`--state takes one of ${JOB_STATES.join(', ')}.`);
  }
  return {
    limit,
    ...compact({ queue, type, state: chosen, userId: user }),
    ...(before !== undefined && { before: readMoment('--before', before, io.runtime.now()) }),
  };
};

/** Says what a job is about, and what it waits for or what went wrong. */
const noteOf = (io: Io, job: Job): string => {
  const { state, error } = job;
  const waits = waitingApprovals(job).map((id) => `waits for a person: ${shortApproval(io, id)}`);
  const problem =
    error === undefined || state === 'completed' || waits.length > 0 ? waits : [errorText(error)];
  return [subjectOf(job) ?? [], problem].flat().join(' · ');
};

const rowOf = (io: Io, job: Job): readonly (string | Cell)[] => {
  const { id, type, queue, state, attempts, retries, createdAt, caller } = job;
  return [
    visibleText(id),
    { text: visibleText(type), paint: io.ink.bold },
    visibleText(queue),
    stateCell(state, io),
    `${attempts}/${retries + 1}`,
    agoCell(createdAt, io),
    visibleText(caller.userId),
    visibleText(noteOf(io, job)),
  ];
};

const list = (io: Io, options: ListOptions): Promise<number> => {
  const filter = filterFrom(io, options);
  return withStore(io, async ({ crib }) => {
    const jobs = await crib.jobs.list(filter);
    const isFiltered = Object.keys(filter).length > 1;
    if (io.json) printJson(io, jobs.map(plainJob));
    else if (jobs.length === 0)
      print(io, isFiltered ? 'There are no such jobs.' : 'There are no jobs.');
    else {
      printTable(
        io,
        HEAD,
        jobs.map((job) => rowOf(io, job)),
      );
      if (jobs.some((job) => waitingApprovals(job).length > 0)) {
        hint(io, 'Look at a question before you decide: toolcrib approvals show <id>');
      }
      if (jobs.length === filter.limit) {
        hint(io, 'There may be more: --limit, --before');
      }
    }
    return 0;
  });
};

export const jobsListCommand = (jobs: Command, io: Io): Command =>
  withExamples(
    withJson(jobs.command('list', { isDefault: true }))
      .option('--queue <name>', 'jobs of this queue')
      .option('--type <type>', 'jobs of this type')
      .option('--state <state>', JOB_STATES.join(', '))
      .option('--user <id>', 'jobs that this user added')
      .option('--before <when>', 'added before: a date, or a span such as 2h')
      .option(
        '--limit <number>',
        'list at most this many; 50 by default',
        wholeNumber('--limit', 1, 10_000),
      )
      .action(leaving(io, (options: ListOptions) => list(io, options))),
    'toolcrib jobs',
    'toolcrib jobs list --state dead --queue mail',
  );

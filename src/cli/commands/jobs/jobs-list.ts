/** `toolcrib jobs list`: the jobs, newest first. */
import type { Command } from 'commander';
import type { Job, JobFilter, JobState } from '../../../contract/queue.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse, wholeNumber } from '../../input/misuse.ts';
import { readMoment } from '../../input/moment.ts';
import { type Io, note, print, printJson, widthOf } from '../../io.ts';
import { formatSpan } from '../../output/format-units.ts';
import { type Cell, headRow, table, withoutSpare } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { stateCell } from './find-job.ts';

/** What a narrow terminal does without: tries, queue, user, when. */
const SPARE = [4, 2, 6, 5];
const HEAD = ['job', 'type', 'queue', 'state', 'tries', 'added', 'user', 'what went wrong'];
const STATES: readonly string[] = [
  ...['waiting', 'delayed', 'active', 'completed', 'dead', 'cancelled'],
];
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
  if (state !== undefined && !STATES.includes(state)) {
    throw misuse(`--state takes one of ${STATES.join(', ')}.`);
  }
  return {
    limit,
    ...(queue !== undefined && { queue }),
    ...(type !== undefined && { type }),
    ...(state !== undefined && { state: state as JobState }),
    ...(user !== undefined && { userId: user }),
    ...(before !== undefined && { before: readMoment('--before', before, io.runtime.now()) }),
  };
};

const rowOf = (io: Io, job: Job): readonly (string | Cell)[] => {
  const { id, type, queue, state, attempts, retries, createdAt, caller, error } = job;
  const reason = error === undefined ? '' : `${error.code}: ${error.message}`;
  return [
    visibleText(id),
    { text: visibleText(type), paint: io.ink.bold },
    visibleText(queue),
    stateCell(state, io),
    `${attempts}/${retries + 1}`,
    { text: `${formatSpan(io.runtime.now() - createdAt)} ago`, paint: io.ink.dim },
    visibleText(caller.userId),
    visibleText(state === 'completed' ? '' : reason),
  ];
};

const list = (io: Io, options: ListOptions): Promise<number> => {
  const filter = filterFrom(io, options);
  return withStore(io, async ({ crib }) => {
    const jobs = await crib.jobs.list(filter);
    const isFiltered = Object.keys(filter).length > 1;
    if (io.json) printJson(io, jobs);
    else if (jobs.length === 0)
      print(io, isFiltered ? 'There are no such jobs.' : 'There are no jobs.');
    else {
      const rows = [headRow(HEAD, io.ink), ...jobs.map((job) => rowOf(io, job))];
      const width = widthOf(io);
      print(io, ...table(withoutSpare(rows, width, SPARE), width));
      if (jobs.length === filter.limit) {
        note(io, io.noteInk.dim('There may be more: --limit, --before'));
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
      .option('--state <state>', STATES.join(', '))
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

/** `toolcrib jobs schedules`, `schedule` and `unschedule`: jobs that are added on a schedule. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { plainSchedule } from '../../../surfaces/http/job-access.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { callerFrom } from '../../input/caller-options.ts';
import { type TimeZoneOptions, timeZoneFrom, withTimeZone } from '../../input/time-zone.ts';
import { type Io, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { enqueueOptionsFrom, type JobOptions, payloadFrom, withJobOptions } from './job-options.ts';
import { warnOfJob } from './job-warnings.ts';

const HEAD = {
  names: ['schedule', 'pattern', 'time zone', 'type', 'next', 'last', 'user'],
  /** What a narrow terminal does without: for whom, when last, the time zone. */
  spare: [6, 5, 2],
};

const list = (io: Io): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const schedules = await crib.jobs.schedules();
    if (io.json) printJson(io, schedules.map(plainSchedule));
    else if (schedules.length === 0) print(io, 'There are no schedules.');
    else {
      const rows = schedules.map(({ id, cron, timeZone = 'UTC', job, nextAt, lastAt }) => [
        { text: visibleText(id), paint: io.ink.bold },
        { text: visibleText(cron), whole: true },
        ...[timeZone, job.type].map(visibleText),
        { text: formatTime(nextAt), whole: true },
        lastAt === undefined ? 'never' : formatTime(lastAt),
        visibleText(job.caller.userId),
      ]);
      printTable(io, HEAD, rows);
    }
    return 0;
  });

interface ScheduleOptions extends JobOptions, TimeZoneOptions {
  readonly cron: string;
  readonly payload?: string;
}

const schedule = async (
  io: Io,
  { id, type }: { readonly id: string; readonly type: string },
  options: ScheduleOptions,
): Promise<number> => {
  const { cron, payload: text } = options;
  const payload = await payloadFrom(io, text);
  return withStore(io, async ({ crib }) => {
    const stored = await crib.jobs.schedule(id, {
      ...enqueueOptionsFrom(options),
      cron,
      type,
      payload,
      ...timeZoneFrom(options),
    });
    await warnOfJob(io, { type, payload }, { crib, as: callerFrom(options) });
    if (io.json) printJson(io, plainSchedule(stored));
    else printDone(io, `${visibleText(id)} is next due at ${formatTime(stored.nextAt)}`);
    return 0;
  });
};

const unschedule = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    if (!(await crib.jobs.unschedule(id))) {
      throw new ToolFailure('NOT_FOUND', 'There is no schedule of that id.', {
        suggestions: ['See which there are: toolcrib jobs schedules'],
      });
    }
    if (io.json) printJson(io, { id, done: 'unschedule' });
    else printDone(io, `Removed: ${visibleText(id)}`);
    return 0;
  });

export const jobsSchedulesCommand = (jobs: Command, io: Io): Command =>
  withExamples(
    withJson(jobs.command('schedules')).action(leaving(io, () => list(io))),
    'toolcrib jobs schedules',
  );

export const jobsScheduleCommand = (jobs: Command, io: Io): Command =>
  withExamples(
    withTimeZone(withJobOptions(withJson(jobs.command('schedule'))))
      .argument('<id>', 'a name for the schedule; an existing one is changed')
      .argument('<type>', 'the type of job')
      .requiredOption('--cron <pattern>', 'five fields, six with seconds in front, or @daily')
      .option('--payload <json>', 'the payload: JSON, @file, or - for stdin')
      .action(
        leaving(io, (id: string, type: string, options: ScheduleOptions) =>
          schedule(io, { id, type }, options),
        ),
      ),
    `toolcrib jobs schedule nightly tool --cron '30 4 * * *' --payload '{"tool":"datetime","input":{"operation":"now"}}'`,
  );

export const jobsUnscheduleCommand = (jobs: Command, io: Io): Command =>
  withExamples(
    withJson(jobs.command('unschedule <id>')).action(
      leaving(io, (id: string) => unschedule(io, id)),
    ),
    'toolcrib jobs unschedule nightly',
  );

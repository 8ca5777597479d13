/** `toolcrib health schedules`, `schedule` and `unschedule`: checks that repeat. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type TimeZoneOptions, timeZoneFrom, withTimeZone } from '../../input/time-zone.ts';
import { hint, type Io, print, printDone, printJson } from '../../io.ts';
import { printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

const HEAD = ['subject', 'pattern', 'time zone', 'set by'];

const list = (io: Io): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const schedules = await crib.health.schedules();
    if (io.json) printJson(io, schedules);
    else if (schedules.length === 0) {
      print(io, "There are no schedules. Make one: toolcrib health schedule all '*/15 * * * *'");
    } else {
      const rows = schedules.map(({ subject, cron, timeZone = 'UTC', configured }) => [
        { text: subject, paint: io.ink.bold },
        ...[cron, timeZone],
        configured ? 'the configuration' : 'toolcrib health schedule',
      ]);
      printTable(io, HEAD, rows);
    }
    return 0;
  });

const schedule = (
  io: Io,
  { subject, cron }: { readonly subject: string; readonly cron: string },
  options: TimeZoneOptions,
): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const timeZone = timeZoneFrom(options);
    await crib.health.schedule(subject, cron, timeZone);
    if (io.json) printJson(io, { subject, cron, ...timeZone });
    else {
      printDone(io, `${visibleText(subject)} is checked at ${visibleText(cron)}.`);
      hint(io, 'toolcrib serve runs the checks.');
    }
    return 0;
  });

const unschedule = (io: Io, subject: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    if (!(await crib.health.unschedule(subject))) {
      throw new ToolFailure('NOT_FOUND', 'There is no schedule of that subject.', {
        suggestions: ['See which there are: toolcrib health schedules'],
      });
    }
    if (io.json) printJson(io, { subject, done: 'unschedule' });
    else printDone(io, `Removed: ${visibleText(subject)}`);
    return 0;
  });

export const healthSchedulesCommand = (health: Command, io: Io): Command =>
  withExamples(
    withJson(health.command('schedules')).action(leaving(io, () => list(io))),
    'toolcrib health schedules',
  );

export const healthScheduleCommand = (health: Command, io: Io): Command =>
  withExamples(
    withTimeZone(withJson(health.command('schedule')))
      .argument('<subject>', 'what is checked: all, store, server:…, the name of a tool')
      .argument('<cron>', 'five fields, or @hourly')
      .action(
        leaving(io, (subject: string, cron: string, options: TimeZoneOptions) =>
          schedule(io, { subject, cron }, options),
        ),
      ),
    "toolcrib health schedule all '*/15 * * * *'",
    "toolcrib health schedule server:github '0 6 * * *' --time-zone Europe/Vienna",
  );

export const healthUnscheduleCommand = (health: Command, io: Io): Command =>
  withExamples(
    withJson(health.command('unschedule <subject>')).action(
      leaving(io, (subject: string) => unschedule(io, subject)),
    ),
    'toolcrib health unschedule server:github',
  );

/** `toolcrib health show` and `check`: one subject, its history, and whether it works now. */
import type { Command } from 'commander';
import type { HealthChange, HealthSchedule } from '../../../contract/health.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { type Io, print, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { type Cell, printTable } from '../../output/table.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';
import { resultLines, stateCell } from './health-lines.ts';

const TIMEOUT_MS = 15_000;
const CHANGES = ['when', 'state', 'why'];

const KINDS = /^(?:store|queue|model|(?:sandbox|server|source):.*)$/;

/** Opens a crib for one subject. Servers are started only for a tool that is not known without them. */
const withSubject = <T>(
  io: Io,
  subject: string,
  work: (open: OpenCrib) => Promise<T>,
): Promise<T> => {
  const tool = subject.replace(/^tool:/, '');
  return withCrib(io, work, KINDS.test(subject) ? { startServers: false } : { tool });
};

const changeRow = (
  io: Io,
  { timestamp, state, reason = '' }: HealthChange,
): readonly (string | Cell)[] => [
  { text: formatTime(timestamp), paint: io.ink.dim },
  stateCell(io, state),
  reason,
];

const scheduleText = ({ cron, timeZone = 'UTC' }: HealthSchedule): string =>
  visibleText(`Checked by schedule: ${cron} (${timeZone})`);

const show = (io: Io, id: string): Promise<number> =>
  withSubject(io, id, async ({ crib }) => {
    const history = await crib.health.history(id);
    const { last, changes } = history;
    const subject = last?.subject ?? id;
    const all = await crib.health.schedules();
    const schedules = all.filter(
      (schedule) => schedule.subject === subject || schedule.subject === 'all',
    );
    if (io.json) {
      printJson(io, { subject, ...history, schedules });
      return 0;
    }
    if (!last) {
      print(io, `It was never checked. Check it: toolcrib health check ${visibleText(id)}`);
    } else print(io, ...resultLines(io, last));
    print(io, ...schedules.map(scheduleText));
    if (changes.length > 0) {
      print(io, '');
      printTable(
        io,
        CHANGES,
        changes.map((change) => changeRow(io, change)),
      );
    }
    return 0;
  });

const check = (io: Io, id: string, timeoutMs: number): Promise<number> =>
  withSubject(io, id, async ({ crib }) => {
    const result = await crib.health.check(id, { timeoutMs });
    if (io.json) printJson(io, result);
    else print(io, ...resultLines(io, result));
    return result.healthy ? 0 : 1;
  });

const SUBJECT = 'store, queue, model, sandbox:…, server:…, source:…, or the name of a tool';

export const healthShowCommand = (health: Command, io: Io): Command =>
  withExamples(
    withJson(health.command('show'))
      .argument('<subject>', SUBJECT)
      .action(leaving(io, (id: string) => show(io, id))),
    'toolcrib health show store',
    'toolcrib health show server:github --json',
  );

export const healthCheckCommand = (health: Command, io: Io): Command =>
  withExamples(
    withJson(
      health
        .command('check')
        .description(
          'check one subject now. Exit code 1 when it is unwell. Everything: toolcrib doctor',
        ),
    )
      .argument('<subject>', SUBJECT)
      .option(
        '--timeout <ms>',
        'how long the check may take',
        wholeNumber('--timeout', 1),
        TIMEOUT_MS,
      )
      .action(
        leaving(io, (id: string, { timeout }: { readonly timeout: number }) =>
          check(io, id, timeout),
        ),
      ),
    'toolcrib health check server:github',
    'toolcrib health check web_search --timeout 5000',
  );

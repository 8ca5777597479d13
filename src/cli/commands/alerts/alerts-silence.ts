/** `toolcrib alerts silence` and `unsilence`. */
import type { Command } from 'commander';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { readDeadline } from '../../input/moment.ts';
import { type Io, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';

interface SilenceOptions {
  readonly for?: string;
  readonly until?: string;
  readonly note?: string;
}

const endOf = (io: Io, { for: span, until }: SilenceOptions): number => {
  const now = io.runtime.now();
  if (span !== undefined && until === undefined) return readDeadline('--for', span, now);
  if (until !== undefined && span === undefined) return readDeadline('--until', until, now);
  throw misuse('Say for how long: --for 2h, or --until 2026-11-20T08:00Z.');
};

const silence = (io: Io, id: string, options: SilenceOptions): Promise<number> => {
  const until = endOf(io, options);
  const { note } = options;
  return withStore(io, async ({ crib }) => {
    const silenced = await crib.alerts.silence(id, { until, ...(note !== undefined && { note }) });
    if (io.json) printJson(io, { id, ...silenced });
    else printDone(io, `${visibleText(id)} is silent until ${formatTime(until)}.`);
    return 0;
  });
};

const unsilence = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const ended = await crib.alerts.unsilence(id);
    if (io.json) printJson(io, { id, ended });
    else if (ended) printDone(io, `${visibleText(id)} sends notifications again.`);
    else print(io, `${visibleText(id)} was not silenced.`);
    return 0;
  });

export const alertsSilenceCommand = (alerts: Command, io: Io): Command =>
  withExamples(
    withJson(alerts.command('silence <id>'))
      .option('--for <span>', 'for this long, such as 30m, 2h or 7d')
      .option('--until <when>', 'until this date, such as 2026-11-20T08:00Z')
      .option('--note <text>', 'the reason, for other people')
      .action(leaving(io, (id: string, options: SilenceOptions) => silence(io, id, options))),
    'toolcrib alerts silence high-errors --for 2h --note maintenance',
  );

export const alertsUnsilenceCommand = (alerts: Command, io: Io): Command =>
  withExamples(
    withJson(alerts.command('unsilence <id>')).action(
      leaving(io, (id: string) => unsilence(io, id)),
    ),
    'toolcrib alerts unsilence high-errors',
  );

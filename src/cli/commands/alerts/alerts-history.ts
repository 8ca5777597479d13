/** `toolcrib alerts history`: what fired and resolved, and whether notifications were sent. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { type Io, print, printJson } from '../../io.ts';
import { printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { EVENT_HEAD, eventRow } from './alert-cells.ts';

interface HistoryOptions {
  readonly limit?: number;
}

const LIMIT = 50;

const history = (io: Io, alert: string | undefined, options: HistoryOptions): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const { limit = LIMIT } = options;
    const events = await crib.alerts.history({ limit, ...(alert !== undefined && { alert }) });
    if (io.json) printJson(io, events);
    else if (events.length === 0) print(io, 'Nothing has fired.');
    else {
      printTable(
        io,
        EVENT_HEAD,
        events.map((event) => eventRow(io, event)),
      );
    }
    return 0;
  });

export const alertsHistoryCommand = (alerts: Command, io: Io): Command =>
  withExamples(
    withJson(alerts.command('history'))
      .argument('[id]', 'only of this alert')
      .option(
        '--limit <number>',
        'list at most this many; 50 by default',
        wholeNumber('--limit', 1, 1000),
      )
      .action(
        leaving(io, (id: string | undefined, options: HistoryOptions) => history(io, id, options)),
      ),
    'toolcrib alerts history',
    'toolcrib alerts history high-errors --limit 10 --json',
  );

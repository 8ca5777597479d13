/** `toolcrib jobs counts`: how many jobs each queue has in each state. */
import type { Command } from 'commander';
import { JOB_STATES } from '../../../contract/queue.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { formatCount } from '../../output/format-units.ts';
import { printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

const count = (io: Io): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const counts = await crib.jobs.counts();
    if (io.json) printJson(io, counts);
    else if (Object.keys(counts).length === 0) print(io, 'There are no jobs.');
    else {
      const rows = Object.entries(counts).map(([queue, line]) => [
        { text: visibleText(queue), paint: io.ink.bold },
        ...JOB_STATES.map((state) => formatCount(line[state])),
      ]);
      printTable(io, ['queue', ...JOB_STATES], rows);
    }
    return 0;
  });

export const jobsCountsCommand = (jobs: Command, io: Io): Command =>
  withExamples(
    withJson(jobs.command('counts')).action(leaving(io, () => count(io))),
    'toolcrib jobs counts',
  );

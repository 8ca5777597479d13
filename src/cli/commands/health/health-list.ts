/** `toolcrib health`: what the last checks found. Checks nothing itself. */
import type { Command } from 'commander';
import type { HealthCheckResult, HealthStatus } from '../../../contract/health.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { agoCell, type Cell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { stateCell, stateWord } from './health-lines.ts';

const HEAD = ['subject', 'state', 'checked', 'what was found'];
const RANK = { unwell: 0, limited: 1, 'not set up': 2, well: 3 } as const;

/**
 * Sums up the checks in one message: the worst one; a tool that is well has many that say no more than
 * "would work".
 */
const findingOf = ({ kind, state, checks }: HealthCheckResult): string => {
  if (kind === 'tool' && state === 'well') return 'would work';
  const worst = checks.find((check) => check.state === 'broken');
  return (worst ?? checks.find((check) => check.state !== 'ok') ?? checks[0])?.message ?? '';
};

const rowOf = (io: Io, result: HealthCheckResult): readonly (string | Cell)[] => {
  const { subject, timestamp } = result;
  return [
    { text: subject, paint: io.ink.bold },
    stateCell(io, stateWord(result)),
    agoCell(timestamp, io),
    findingOf(result),
  ];
};

const show = (io: Io, { checks, healthy, ready }: HealthStatus): void => {
  const rank = (result: HealthCheckResult): number => RANK[stateWord(result)];
  const rows = checks.toSorted((one, other) => rank(one) - rank(other));
  printTable(
    io,
    HEAD,
    rows.map((result) => rowOf(io, result)),
  );
  const whole = healthy ? 'Nothing that is set up fails.' : 'Something fails.';
  note(io, ready ? whole : `${whole} A server would not be ready.`);
};

const list = (io: Io): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const status = await crib.health.latest();
    if (io.json) printJson(io, status ?? { checks: [] });
    else if (status) show(io, status);
    else print(io, 'Nothing was checked yet. Check everything: toolcrib doctor');
    return status?.healthy === false ? 1 : 0;
  });

export const healthListCommand = (health: Command, io: Io): Command =>
  withExamples(
    withJson(
      health
        .command('list', { isDefault: true })
        .description(
          'list the last results, what fails first. Checks nothing; exit code 1 when something fails.',
        ),
    ).action(leaving(io, () => list(io))),
    'toolcrib health',
    'toolcrib health list --json',
  );

/** `toolcrib alerts test`: evaluates a condition now, and tries whether its actions reach anybody. */
import type { Command } from 'commander';
import type { AlertTest } from '../../../contract/alerts.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';

interface TestOptions {
  /** Set by `--no-send`. */
  readonly send: boolean;
}

const valueText = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ');

const linesOf = (io: Io, { findings, problem, deliveries }: AlertTest): readonly string[] => [
  ...(problem === undefined ? [] : [io.ink.yellow(visibleText(`In doubt: ${problem}`))]),
  ...(findings.length === 0 ? ['There is nothing to evaluate it for at the moment.'] : []),
  ...findings.map(({ subject, holds, values }) => {
    const verdict = holds ? io.ink.red('holds') : io.ink.green('does not hold');
    const name = subject === '' ? 'It' : visibleText(subject);
    return `${name} ${verdict}: ${visibleText(valueText(values))}`;
  }),
  ...deliveries.map(({ action, state, problem: why }) =>
    state === 'done'
      ? `${io.ink.green('✓')} ${action}`
      : `${io.ink.red('✗')} ${action}: ${visibleText(why ?? 'failed')}`,
  ),
];

const test = (io: Io, id: string, { send }: TestOptions): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const outcome = await crib.alerts.test(id, { deliver: send });
    if (io.json) printJson(io, outcome);
    else print(io, ...linesOf(io, outcome));
    const isWell =
      outcome.problem === undefined && outcome.deliveries.every(({ state }) => state === 'done');
    return isWell ? 0 : 1;
  });

export const alertsTestCommand = (alerts: Command, io: Io): Command =>
  withExamples(
    withJson(alerts.command('test <id>'))
      .option('--no-send', 'evaluate the condition only')
      .action(leaving(io, (id: string, options: TestOptions) => test(io, id, options))),
    'toolcrib alerts test high-errors',
    'toolcrib alerts test high-errors --no-send',
  );

/** How results of checks look on a terminal. */
import type { HealthCheck, HealthCheckResult, HealthState } from '../../../contract/health.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Io } from '../../io.ts';
import { agoCell, type Cell } from '../../output/table.ts';

export const checkMark = ({ ink }: Io, state: HealthCheck['state']): string =>
  ({ ok: ink.green('✓'), warning: ink.yellow('!'), broken: ink.red('✗') })[state];

/** Tells whether everything that is missing was never set up: that is not an outage. */
const isNotSetUp = ({ state, checks }: HealthCheckResult): boolean =>
  state !== 'well' && checks.every((check) => check.state === 'ok' || check.notSetUp === true);

export const stateWord = (result: HealthCheckResult): HealthState | 'not set up' =>
  isNotSetUp(result) ? 'not set up' : result.state;

export const stateCell = (
  io: Io,
  word: ReturnType<typeof stateWord>,
): Required<Pick<Cell, 'text' | 'paint'>> => {
  const { green, yellow, red, dim } = io.ink;
  const paint = { well: green, limited: yellow, unwell: red, 'not set up': dim }[word];
  return { text: word, paint };
};

/** Writes all lines of one result: what was checked, and what to do about it. */
export const resultLines = (io: Io, result: HealthCheckResult): readonly string[] => {
  const { text, paint } = stateCell(io, stateWord(result));
  return [
    `${io.ink.bold(visibleText(result.subject))} ${paint(text)} ${io.ink.dim(`checked ${agoCell(result.timestamp, io).text}`)}`,
    ...result.checks.flatMap(({ name, state, message, fix }) => [
      `  ${checkMark(io, state)} ${visibleText(name)}: ${visibleText(message)}`,
      ...(fix === undefined ? [] : [`    ${io.ink.cyan('→')} ${visibleText(fix)}`]),
    ]),
  ];
};

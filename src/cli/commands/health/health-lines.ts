/** How results of checks look on a terminal. */
import type { HealthCheckResult, HealthState } from '../../../contract/health.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Io } from '../../io.ts';
import { formatSpan } from '../../output/format-units.ts';
import type { Cell } from '../../output/table.ts';

const MARKS = { ok: '✓', warning: '!', broken: '✗' } as const;

/** Tells whether everything that is missing was never set up: that is not an outage. */
export const isNotSetUp = ({ state, checks }: HealthCheckResult): boolean =>
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

export const agoText = (io: Io, moment: number): string =>
  `${formatSpan(Math.max(0, io.runtime.now() - moment))} ago`;

/** Writes all lines of one result: what was checked, and what to do about it. */
export const resultLines = (io: Io, result: HealthCheckResult): readonly string[] => {
  const { text, paint } = stateCell(io, stateWord(result));
  const paints = { ok: io.ink.green, warning: io.ink.yellow, broken: io.ink.red };
  return [
    `${io.ink.bold(visibleText(result.subject))} ${paint(text)} ${io.ink.dim(`checked ${agoText(io, result.timestamp)}`)}`,
    ...result.checks.flatMap(({ name, state, message, fix }) => [
      `  ${paints[state](MARKS[state])} ${visibleText(name)}: ${visibleText(message)}`,
      ...(fix === undefined ? [] : [`    ${io.ink.cyan('→')} ${visibleText(fix)}`]),
    ]),
  ];
};

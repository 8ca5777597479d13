/** `toolcrib log level`: shows or changes what the running server logs. */
import type { Command } from 'commander';
import { LOG_LEVELS, type LogLevel, type LogLevelState } from '../../../contract/log-level.ts';
import { didYouMean } from '../../../kit/text/did-you-mean.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { readDeadline } from '../../input/moment.ts';
import { type Io, print, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { askServer } from '../../session/ask-server.ts';
import { withStore } from '../../session/open-crib.ts';

interface LogLevelOptions {
  readonly for?: string;
}

const PATH = '/v1/log-level';

const levelOf = (text: string): LogLevel => {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level) return level;
  const suggestion = didYouMean(text, LOG_LEVELS) || '.';
  throw misuse(`There is no level ${text}${suggestion}`, `Choose one of ${LOG_LEVELS.join(', ')}.`);
};

const spanOf = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined;
  const forMs = readDeadline('--for', text, now) - now;
  if (forMs > 0) return forMs;
  throw misuse(
    '--for takes a time that is not over yet.',
    'Such as: toolcrib log level debug --for 10m',
  );
};

const stateText = ({ level, configured, until }: LogLevelState): string => {
  if (until !== undefined) return `${level}, until ${formatTime(until)}; then ${configured}`;
  return level === configured
    ? `${level}, as configured`
    : `${level}, until the server ends; configured is ${configured}`;
};

const changeLevel = (
  io: Io,
  name: string | undefined,
  options: LogLevelOptions,
): Promise<number> => {
  if (name === undefined && options.for !== undefined) {
    throw misuse('--for needs a level.', 'Such as: toolcrib log level debug --for 10m');
  }
  const level = name === undefined ? undefined : levelOf(name);
  const forMs = spanOf(options.for, io.runtime.now());
  const body = { level, ...(forMs !== undefined && { forMs }) };
  return withStore(io, async (open) => {
    const { answer } = await askServer(
      io,
      open,
      level === undefined
        ? { method: 'GET', path: PATH, role: 'viewer' }
        : { method: 'PUT', path: PATH, role: 'admin', body },
    );
    const state = answer as LogLevelState;
    if (io.json) printJson(io, state);
    else print(io, stateText(state));
    return 0;
  });
};

export const logLevelCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('level'))
      .argument('[level]', `${LOG_LEVELS.join(', ')}; without one the current level is shown`)
      .option('--for <span>', 'back to the configured level after this time, such as 10m')
      .action(
        leaving(io, (level: string | undefined, options: LogLevelOptions) =>
          changeLevel(io, level, options),
        ),
      ),
    'toolcrib log level',
    'toolcrib log level debug --for 10m',
  );

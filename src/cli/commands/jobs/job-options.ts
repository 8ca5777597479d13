/** The options that `jobs add` and `jobs schedule` share, and the payload of a job. */
import type { Command } from 'commander';
import type { EnqueueOptions } from '../../../contract/job.ts';
import { compact } from '../../../kit/data/compact.ts';
import { type CallerOptions, callerFrom, withCaller } from '../../input/caller-options.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { parseJson } from '../../input/parse-json.ts';
import { readInput } from '../../input/read-input.ts';
import type { Io } from '../../io.ts';

export interface JobOptions extends CallerOptions {
  readonly queue?: string;
  readonly retries?: number;
  readonly priority?: number;
}

export const withJobOptions = (command: Command): Command =>
  withCaller(command)
    .option('--queue <name>', 'into this queue; that of the type otherwise')
    .option('--retries <number>', 'try again this many times', wholeNumber('--retries', 0, 100))
    .option(
      '--priority <number>',
      'from 0, the highest, to 1000',
      wholeNumber('--priority', 0, 1_000),
    );

export const enqueueOptionsFrom = (options: JobOptions): EnqueueOptions => {
  const { queue, retries, priority } = options;
  return {
    ...callerFrom(options),
    ...compact({ queue, retries, priority }),
  };
};

/** Reads a payload: JSON, `@file`, or `-` for stdin; `null` when there is none. */
export const payloadFrom = async (io: Io, text: string | undefined): Promise<unknown> => {
  if (text === undefined) return null;
  if (text === '-') return (await readInput(io, { args: ['-'], file: undefined })).base;
  if (text.startsWith('@')) return (await readInput(io, { args: [], file: text.slice(1) })).base;
  return parseJson(text, 'The payload', ['Or put it into a file, and give @file.']);
};

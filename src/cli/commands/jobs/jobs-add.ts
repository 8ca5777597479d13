/** `toolcrib jobs add`: adds a job for a worker to run. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { callerFrom } from '../../input/caller-options.ts';
import { readDeadline } from '../../input/moment.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';
import { enqueueOptionsFrom, type JobOptions, payloadFrom, withJobOptions } from './job-options.ts';
import { warnOfJob } from './job-warnings.ts';

interface AddOptions extends JobOptions {
  readonly delay?: string;
  readonly idempotencyKey?: string;
}

interface Added {
  readonly type: string;
  readonly payload: string | undefined;
}

const add = async (
  io: Io,
  { type, payload: text }: Added,
  { delay, idempotencyKey, ...options }: AddOptions,
): Promise<number> => {
  const payload = await payloadFrom(io, text);
  const now = io.runtime.now();
  const enqueueOptions = {
    ...enqueueOptionsFrom(options),
    ...(delay !== undefined && { delayMs: Math.max(0, readDeadline('--delay', delay, now) - now) }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  return withStore(io, async ({ crib }) => {
    const id = await crib.jobs.enqueue(type, payload, enqueueOptions);
    await warnOfJob(io, { type, payload }, { crib, as: callerFrom(options) });
    if (io.json) printJson(io, { id });
    else {
      print(io, id);
      hint(io, 'A worker runs it: toolcrib worker');
    }
    return 0;
  });
};

export const jobsAddCommand = (jobs: Command, io: Io): Command =>
  withExamples(
    withJobOptions(withJson(jobs.command('add')))
      .argument(
        '<type>',
        'tool, flow, execute_workflow or another common type; your program adds types of its own',
      )
      .argument('[payload]', 'JSON, @file, or - for stdin')
      .option('--delay <when>', 'run it not before: a span such as 30s or 10m, or a date')
      .option('--idempotency-key <key>', 'a repeated key returns the existing job')
      .action(
        leaving(io, (type: string, payload: string | undefined, options: AddOptions) =>
          add(io, { type, payload }, options),
        ),
      ),
    `toolcrib jobs add tool '{"tool":"calculator","input":{"expression":"6*7"}}'`,
    'toolcrib jobs add flow @run.json --delay 10m',
  );

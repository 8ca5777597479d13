import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Job } from '../contract/queue.ts';
import { EmbeddedWorker } from './embedded-worker.ts';
import type { JobChange, JobTable } from './job-table.ts';
import { LastChances } from './last-chances.ts';

const JOB = { id: 'one', retries: 0, backoff: { initialMs: 1, factor: 1, maxMs: 1 } } as Job;
const CLAIM = { id: 'one', row: 1, epoch: 1 };

/** Runs one job whose end a table refuses with each of these errors in turn; returns what is written. */
const endsOf = async (errors: unknown[]): Promise<readonly JobChange[]> => {
  const jobs = [{ claim: CLAIM, job: JOB, failures: 0, isLastChance: false }];
  const written: JobChange[] = [];
  const table: Partial<JobTable> = {
    claim: async () => ({ jobs: jobs.splice(0) }),
    end: async (_claim, change) => {
      if (errors.length > 0) throw errors.shift();
      written.push(change);
      return true;
    },
  };
  const runtime = fakeRuntime();
  const worker = new EmbeddedWorker(
    {
      queue: 'default',
      concurrency: 1,
      run: async () => ({ state: 'completed', result: 'odd' }),
    },
    {
      table: table as JobTable,
      runtime,
      lastChances: new LastChances(),
      lookAt: () => undefined,
      closed: () => undefined,
    },
  );
  worker.fill();
  await runtime.advance(5_000);
  await worker.close();
  expect(errors).toEqual([]);
  return written;
};

describe('a worker whose table does not take the end of a job', () => {
  it('writes that the result cannot be kept once the store is back', async () => {
    const ends = await endsOf([new TypeError('no JSON'), new ToolFailure('STORE_UNAVAILABLE')]);
    expect(ends).toMatchObject([
      {
        state: 'dead',
        error: { code: 'EXECUTION_FAILED', message: 'The result cannot be kept: no JSON' },
      },
    ]);
  });

  it('gives up on an end that the table cannot keep in any form', async () => {
    expect(await endsOf([new TypeError('no JSON'), new TypeError('no JSON')])).toEqual([]);
  });
});

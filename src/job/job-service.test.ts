import { afterEach, describe, expect, it } from 'vitest';
import { createCribHost } from '../crib/create-crib.ts';
import { createRuntime } from '../crib/create-runtime.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const open = async () => {
  const errors: string[] = [];
  const { log } = createRuntime();
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    runtime: { log: { ...log, error: (message) => void errors.push(message) } },
  });
  cleanup.push(() => crib.close());
  return { crib, errors };
};

describe('a listener that is called with the ends of attempts', () => {
  it.each([
    [
      'throws',
      () => {
        throw new TypeError('no metrics');
      },
    ],
    ['rejects', async () => Promise.reject(new TypeError('no metrics'))],
  ])('does not fail the job when it %s', async (_what, onEnd) => {
    const { crib, errors } = await open();
    let runs = 0;
    crib.jobs.register('count', () => {
      runs += 1;
      return runs;
    });
    const jobId = await crib.jobs.enqueue('count', null, { retries: 3 });
    await crib.jobs.work({ onEnd });
    await expect.poll(async () => (await crib.jobs.get(jobId))?.state).toBe('completed');
    expect(runs).toBe(1);
    expect(errors).toEqual(['The onEnd of a worker threw.']);
  });
});

describe('a handler that throws a malformed failure', () => {
  it.each([
    ['without extras', () => Object.assign(new Error('no'), { code: 'TIMEOUT', extras: null })],
    [
      'with suggestions that are no list',
      () => Object.assign(new Error('no'), { code: 'TIMEOUT', extras: { suggestions: 7 } }),
    ],
    [
      'with a part that JSON cannot hold',
      () => Object.assign(new Error('no'), { code: 'TIMEOUT', extras: { partial: 1n } }),
    ],
    [
      'whose code cannot be read',
      () =>
        Object.defineProperty(new Error('no'), 'code', {
          get: () => {
            throw new Error('no code');
          },
        }),
    ],
  ])('ends its attempt: %s', async (_what, failure) => {
    const { crib, errors } = await open();
    crib.jobs.register('break', () => {
      throw failure();
    });
    const jobId = await crib.jobs.enqueue('break', null, { retries: 0 });
    await crib.jobs.work();
    await expect.poll(async () => (await crib.jobs.get(jobId))?.state).toBe('dead');
    expect((await crib.jobs.get(jobId))?.error?.message).toBe('no');
    expect(errors).toEqual([]);
  });
});

describe('what cannot be meant is refused', () => {
  it('workers of no queue are not started', async () => {
    const { crib } = await open();
    await expect(crib.jobs.work({ queues: [] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'queues names no queue to work on.',
    });
  });

  it('jobs with an empty idempotency key are not taken for one', async () => {
    const { crib } = await open();
    crib.jobs.register('note', () => null);
    await expect(crib.jobs.enqueue('note', 1, { idempotencyKey: '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('a handler whose result cannot be kept is told that it is the result', async () => {
    const { crib } = await open();
    crib.jobs.register('when', () => new Date(0));
    const jobId = await crib.jobs.enqueue('when', null);
    await crib.jobs.work();
    await expect.poll(async () => (await crib.jobs.get(jobId))?.state).toBe('dead');
    const job = await crib.jobs.get(jobId);
    expect(job?.error?.message).toContain('The result of the job cannot be kept');
  });

  it('a job that is delayed by more than a year is refused in days', async () => {
    const { crib } = await open();
    const added = crib.jobs.enqueue('tool', { tool: 'echo' }, { delayMs: 367 * 86_400_000 });
    await expect(added).rejects.toThrow('A job is delayed by 366 days at most.');
  });
});

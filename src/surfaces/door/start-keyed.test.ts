import { expect, it, vi } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { startKeyed } from './start-keyed.ts';

const RUN_KEY = { userId: 'ada', flow: 'save', key: 'monday' };

it('a key that was used for another run is refused in words about the key', async () => {
  const start = async ({ runId }: { readonly runId?: string }) => {
    throw new ToolFailure('CONFLICT', `The id ${runId} belongs to another run.`);
  };
  await expect(startKeyed(RUN_KEY, start)).rejects.toThrow(
    'This idempotency key was used for a run of save with another input or plan.',
  );
});

it('another failure of a run with a key is passed on as it is', async () => {
  const failure = new ToolFailure('CONFLICT', 'The plan has changed.');
  await expect(startKeyed(RUN_KEY, () => Promise.reject(failure))).rejects.toBe(failure);
});

it('the same key starts under the same id, and a run without a key under none', async () => {
  const start = async (id: { readonly runId?: string }) => id;
  const first = await startKeyed(RUN_KEY, start);
  expect(first.runId).toMatch(/^key-/);
  expect(await startKeyed(RUN_KEY, start)).toEqual(first);
  expect(await startKeyed({ ...RUN_KEY, flow: 'other' }, start)).not.toEqual(first);
  expect(await startKeyed({ ...RUN_KEY, key: undefined }, start)).toEqual({});
});

it('an empty key names no run, and none is started', async () => {
  const start = vi.fn(() => Promise.resolve('run'));
  await expect(startKeyed({ ...RUN_KEY, key: '' }, start)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(start).not.toHaveBeenCalled();
});

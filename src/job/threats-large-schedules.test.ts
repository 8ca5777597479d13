/** Threat: an agent sets schedules with large payloads, which are read whenever somebody sets or lists one. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { JobAs } from '../contract/job.ts';
import { createCribHost } from '../crib/create-crib.ts';

const NAMES = { userId: 'token:bot', agentId: 'token:bot', sessionId: 'token:1' };
const agent: JobAs = { ...NAMES, roles: ['agent'], authenticated: NAMES };

let crib: CribHost;
afterEach(() => crib.close());

const scheduleOf = (chars: number) => ({
  ...{ cron: '0 0 1 1 *', type: 'tool' },
  payload: { tool: 'echo', input: { text: 'x'.repeat(chars) } },
});

const set = async (chars: number, as: JobAs = {}): Promise<unknown> => {
  crib = await createCribHost({ store: 'memory', builtins: false, tools: [aTool()] });
  return crib.jobs.schedule('mine', { ...scheduleOf(chars), ...as });
};

describe('threat: schedules with large payloads', () => {
  it('hostile: one of an agent with more than 64 KiB is refused, and none is kept', async () => {
    await expect(set(65_536, agent)).rejects.toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('at most 65536'),
      }),
    );
    expect(await crib.jobs.schedules()).toEqual([]);
  });

  it('benign: one of an agent with some thousand characters is kept, also in place of another', async () => {
    await set(60_000, agent);
    await crib.jobs.schedule('mine', { ...scheduleOf(10), ...agent });
    expect((await crib.jobs.schedules()).map(({ id }) => id)).toEqual(['mine']);
  });

  it('benign: the program itself sets one with any payload that a job may have', async () => {
    await set(900_000);
    expect(await crib.jobs.schedules()).toHaveLength(1);
  });
});

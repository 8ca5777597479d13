import { afterEach, describe, expect, it } from 'vitest';
import { laterClock } from '../../test/fixtures/later-clock.ts';
import { sendingTools } from '../../test/fixtures/sending-tools.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { JobState } from '../contract/queue.ts';
import { createCribHost } from '../crib/create-crib.ts';
import type { CribOptions } from '../crib/crib-options.ts';
import { DAY_MS } from '../kit/data/durations.ts';

const ALLOW = {
  version: 1 as const,
  rules: [{ name: 'all', effect: 'allow' as const, tools: ['*'] }],
};
const ASK = {
  version: 1 as const,
  rules: [{ name: 'ask', effect: 'ask' as const, tools: ['*'] }],
};
const BACKOFF = { initialMs: 5, factor: 1, maxMs: 5 };

const open: CribHost[] = [];
afterEach(async () => {
  for (const crib of open.splice(0)) await crib.close();
});

/** Opens a crib whose clock a test can set forward. */
const openCrib = async (options: CribOptions) => {
  const clock = laterClock();
  const { runtime } = clock;
  const given: CribOptions = { store: 'memory', builtins: false, policy: ALLOW, runtime };
  const crib = await createCribHost({ ...given, ...options });
  open.push(crib);
  return { crib, clock };
};

const untilState = (crib: CribHost, jobId: string, state: JobState): Promise<void> =>
  expect.poll(async () => (await crib.jobs.get(jobId))?.state, { timeout: 20_000 }).toBe(state);

describe('a call of a job', () => {
  it('is not made again by an attempt that comes a week later', async () => {
    const { sent, send } = sendingTools();
    const { crib, clock } = await openCrib({ tools: [send] });
    let attempts = 0;
    crib.jobs.register('report', async (_job, context) => {
      await context.call(send, { text: 'once' });
      attempts += 1;
      if (attempts > 1) return attempts;
      clock.advance(7 * DAY_MS);
      throw new Error('the machine was switched off');
    });
    const jobId = await crib.jobs.enqueue('report', null, { backoff: BACKOFF });
    await crib.jobs.work();
    await untilState(crib, jobId, 'completed');
    expect({ attempts, sent }).toEqual({ attempts: 2, sent: ['once'] });
  });

  it.each([
    [true, 'read_only', 'completed', 1],
    [true, 'write', 'completed', 1],
    [false, 'read_only', 'dead', 0],
  ] as const)(
    'uses the answer that a person gave: %s to a tool of tier %s',
    async (approve, tier, state, times) => {
      let runs = 0;
      const look = aTool({ name: 'look', tier, run: () => ++runs });
      const { crib } = await openCrib({ tools: [look], policy: ASK });
      const jobId = await crib.jobs.enqueue('tool', { tool: 'look' }, { retries: 0 });
      await crib.jobs.work();
      await untilState(crib, jobId, 'delayed');
      const [question] = await crib.approvals.list();
      const waitsFor = [`approval:${question?.id}`];
      expect(await crib.jobs.get(jobId)).toMatchObject({ waitsFor });
      expect(await crib.jobs.list()).toMatchObject([{ waitsFor }]);
      await crib.approvals.decide(question?.id ?? '', { approve, by: 'ada' });
      await untilState(crib, jobId, state);
      expect(await crib.jobs.get(jobId)).not.toHaveProperty('waitsFor');
      expect(await crib.approvals.list()).toEqual([]);
      expect(runs).toBe(times);
    },
  );
});

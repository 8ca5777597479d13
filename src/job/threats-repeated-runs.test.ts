/** Threat: a job whose flow failed runs it again and again, because the engine counts more than failures. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isMissing } from '../../test/fixtures/needed-programs.ts';
import { startRedis } from '../../test/fixtures/real-redis.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { ToolFailure } from '../contract/errors.ts';
import { createCribHost } from '../crib/create-crib.ts';
import type { CribOptions } from '../crib/crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const open = async (options: CribOptions) => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-runs-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  const sent: unknown[] = [];
  const send = aTool({ name: 'send', tier: 'write', run: () => sent.push('sent') });
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    store: { sqlite: join(root, 'state.db') },
    builtins: false,
    tools: [send],
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow', tools: ['send'] }] },
    ...options,
  });
  cleanup.push(() => crib.close());
  crib.flows.register(
    defineFlow({
      name: 'sends_and_fails',
      version: '1.0.0',
      run: async (flow) => {
        await flow.call(send, {});
        // Longer than one look at the run: the job is postponed.
        await flow.sleep(1_200);
        throw new ToolFailure('NETWORK', 'down');
      },
    }),
  );
  return { crib, sent };
};

const expectOneRun = async ({ crib, sent }: Awaited<ReturnType<typeof open>>): Promise<void> => {
  const backoff = { initialMs: 5, factor: 1, maxMs: 5 };
  const jobId = await crib.jobs.enqueue(
    ...(['execute_workflow', { workflowId: 'sends_and_fails' }, { backoff }] as const),
  );
  await crib.jobs.work();
  await expect
    .poll(async () => (await crib.jobs.get(jobId))?.state, { timeout: 20_000 })
    .toBe('dead');
  expect((await crib.jobs.get(jobId))?.error).toMatchObject({ code: 'CONFLICT', cause: 'NETWORK' });
  expect(sent).toEqual(['sent']);
  expect(await crib.flows.list()).toHaveLength(1);
};

describe('a job that was postponed while its flow ran, which then failed', () => {
  it('on SQLite: is dead after one run', async () => {
    await expectOneRun(await open({}));
  });

  it.skipIf(isMissing('redis-server'))('on BullMQ: is dead after one run', async () => {
    const redis = await startRedis();
    cleanup.push(() => redis.close());
    await expectOneRun(await open({ config: { jobs: { url: redis.url, prefix: 'runs' } } }));
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { effectsIn, startEffectWorker } from '../fixtures/effect-worker.ts';
import { isMissing } from '../fixtures/needed-programs.ts';
import { startRedis } from '../fixtures/real-redis.ts';

const JOBS = 300;
/** Longer than a worker's lock and the interval of the check for lost ones. */
const FROZEN_MS = 5_000;

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const startWorker = (root: string, url: string, part = '') => {
  const worker = startEffectWorker('redis-job-worker.mjs', root, String(JOBS), url, part);
  cleanup.push(() => worker.child.kill('SIGKILL'));
  return worker;
};

describe.skipIf(isMissing('redis-server'))('jobs on Redis: workers that die and freeze', () => {
  it('loses no job and repeats no effect when one worker is killed and one is frozen', async () => {
    const redis = await startRedis({ appendfsync: 'everysec' });
    cleanup.push(() => redis.close());
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-redis-'));
    cleanup.push(() => rm(root, { recursive: true, force: true }));
    const frozen = startWorker(root, redis.url, 'freeze');
    const killed = startWorker(root, redis.url);
    await frozen.says('frozen');
    await killed.says('works');
    while ((await effectsIn(root)).length < JOBS / 2) await wait(1);
    killed.child.kill('SIGKILL');
    await killed.exited;
    const survivor = startWorker(root, redis.url);
    await wait(FROZEN_MS);
    frozen.child.kill('SIGCONT');
    await Promise.all([survivor.exited, frozen.exited]);
    expect([survivor.isOver(), frozen.isOver()]).toEqual([true, true]);
    const lines = await effectsIn(root);
    expect(new Set(lines).size).toBe(lines.length);
    const crib = await createCribHost({ root, config: { jobs: { url: redis.url } } });
    cleanup.push(() => crib.close());
    const jobs = await crib.jobs.list({ limit: 1_000 });
    expect(jobs).toHaveLength(JOBS);
    for (const { id, state, payload, error } of jobs) {
      const { n } = payload as { readonly n: number };
      const own = lines.filter((line) => line.startsWith(`${n}-`));
      if (state === 'dead') expect(error?.inDoubt).toMatch(/^x/);
      else expect([id, state, own.length]).toEqual([id, 'completed', 2]);
    }
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
  }, 120_000);
});

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { isMissing } from '../fixtures/needed-programs.ts';
import { startRedis } from '../fixtures/real-redis.ts';

const SCRIPT = join(import.meta.dirname, '../fixtures/redis-job-worker.mjs');
const JOBS = 300;
/** Longer than a worker's lock and the interval of the check for lost ones. */
const FROZEN_MS = 5_000;

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const linesOf = async (root: string): Promise<readonly string[]> => {
  const text = await readFile(join(root, 'effects.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
};

const startWorker = (root: string, url: string, part = '') => {
  const args = [SCRIPT, root, String(JOBS), url, part];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup.push(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const says = async (word: string): Promise<void> => {
    while (!text.includes(word) && child.exitCode === null) await wait(5);
  };
  return { child, exited, says, isOver: () => text.includes('all over') };
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
    while ((await linesOf(root)).length < JOBS / 2) await wait(1);
    killed.child.kill('SIGKILL');
    await killed.exited;
    const survivor = startWorker(root, redis.url);
    await wait(FROZEN_MS);
    frozen.child.kill('SIGCONT');
    await Promise.all([survivor.exited, frozen.exited]);
    expect([survivor.isOver(), frozen.isOver()]).toEqual([true, true]);
    const lines = await linesOf(root);
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

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { sized } from '../guarantees/size.ts';

const SCRIPT = join(import.meta.dirname, '../fixtures/job-worker.mjs');
const JOBS = sized(150, 300);
const KILLS = sized(5, 10);

const linesOf = async (root: string): Promise<readonly string[]> => {
  const text = await readFile(join(root, 'effects.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
};

const startWorker = (root: string) => {
  const args = [SCRIPT, root, String(JOBS)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return { child, exited, isOver: () => text.includes('all over') };
};

/** Kills one of two workers a few effects after it has begun. */
const workUntilKilled = async (root: string, kill: number): Promise<void> => {
  const before = (await linesOf(root)).length;
  const { child, exited, isOver } = startWorker(root);
  while ((await linesOf(root)).length < before + 5 + ((kill * 7) % 29) && !isOver()) await wait(1);
  child.kill('SIGKILL');
  await exited;
};

describe('F1: kill -9 while jobs run', () => {
  it('loses no job, repeats no effect, and makes dead what is in doubt', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-jobs-'));
    // One process lives on beside those that are killed, and takes their jobs over.
    const survivor = startWorker(root);
    for (let kill = 0; kill < KILLS; kill++) await workUntilKilled(root, kill);
    await survivor.exited;
    expect(survivor.isOver()).toBe(true);
    const lines = await linesOf(root);
    expect(new Set(lines).size).toBe(lines.length);
    const crib = await createCribHost({ root });
    const jobs = await crib.jobs.list({ limit: 1_000 });
    expect(jobs).toHaveLength(JOBS);
    for (const { id, state, payload, error } of jobs) {
      const { n } = payload as { readonly n: number };
      const own = lines.filter((line) => line.startsWith(`${n}-`));
      if (state === 'dead') expect(error?.inDoubt).toMatch(/^x/);
      else expect([id, state, own.length]).toEqual([id, 'completed', 2]);
    }
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
    await crib.close();
    await rm(root, { recursive: true, force: true });
  }, 240_000);
});

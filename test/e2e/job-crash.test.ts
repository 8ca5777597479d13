import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { effectsIn, killAfterEffects, startEffectWorker } from '../fixtures/effect-worker.ts';
import { sized } from '../guarantees/size.ts';

const JOBS = sized(150, 300);
const KILLS = sized(5, 10);

const startWorker = (root: string) => startEffectWorker('job-worker.mjs', root, String(JOBS));

describe('F1: kill -9 while jobs run', () => {
  it('loses no job, repeats no effect, and makes dead what is in doubt', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-jobs-'));
    // One process lives on beside those that are killed, and takes their jobs over.
    const survivor = startWorker(root);
    for (let kill = 0; kill < KILLS; kill++) {
      await killAfterEffects(root, 5 + ((kill * 7) % 29), () => startWorker(root));
    }
    await survivor.exited;
    expect(survivor.isOver()).toBe(true);
    const lines = await effectsIn(root);
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { effectsIn, killAfterEffects, startEffectWorker } from '../fixtures/effect-worker.ts';
import { sized } from '../guarantees/size.ts';

const RUNS = sized(40, 600);
const EFFECTS_A_RUN = 4;
const KILLS = sized(7, 60);
const PROCESSES = 4;
/** How long one of them is frozen. */
const FROZEN_MS = sized(2_000, 60_000);

const startWorker = (root: string) => startEffectWorker('flow-worker.mjs', root, '1', String(RUNS));

describe('F1: kill -9 while flows run', () => {
  it('loses no run, repeats no effect, and blocks what is in doubt', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-flows-'));
    for (let kill = 0; kill < KILLS; kill++) {
      await killAfterEffects(root, 1 + ((kill * 5) % 17), () => startWorker(root));
    }
    const { exited } = startWorker(root);
    await exited;
    const lines = await effectsIn(root);
    expect(new Set(lines).size).toBe(lines.length);
    const crib = await createCribHost({ root });
    const runs = await crib.flows.list({ limit: 1000 });
    expect(runs).toHaveLength(RUNS);
    for (const { id, input, status, waitsFor } of runs) {
      if (status === 'blocked') expect(waitsFor).toMatchObject([expect.stringMatching(/^call:x/)]);
      else expect(`${id} ${status}`).toBe(`${id} completed`);
      const { n } = input as { readonly n: number };
      const own = lines.filter((line) => line.startsWith(`${n}-`));
      if (status === 'completed') expect(own).toHaveLength(EFFECTS_A_RUN);
    }
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
    await crib.close();
    await rm(root, { recursive: true, force: true });
  }, 1_200_000);
});

describe('F5: several processes on one store, one of them frozen for long', () => {
  it('end every run, and make every effect once', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-flows-'));
    const workers = Array.from({ length: PROCESSES }, () => startWorker(root));
    while ((await effectsIn(root)).length < RUNS / 2) await wait(2);
    const [frozen] = workers;
    frozen?.child.kill('SIGSTOP');
    await wait(FROZEN_MS);
    frozen?.child.kill('SIGCONT');
    await Promise.all(workers.map(({ exited }) => exited));
    expect(workers.map(({ isOver }) => isOver())).toEqual(workers.map(() => true));
    const lines = await effectsIn(root);
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines).toHaveLength(RUNS * EFFECTS_A_RUN);
    const crib = await createCribHost({ root });
    const runs = await crib.flows.list({ limit: 1000 });
    expect(runs).toHaveLength(RUNS);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['completed']));
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
    await crib.close();
    await rm(root, { recursive: true, force: true });
  }, 1_200_000);
});

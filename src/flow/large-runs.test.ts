/** A run of many steps costs so much for each step, whatever their number, and remembers none of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import type { Crib } from '../contract/crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import type { FlowContext } from '../contract/flow.ts';
import { createCribHost } from '../crib/create-crib.ts';

const STEPS = 10_000;

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const heapAfterGc = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

const root = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-large-'));
  cleanup.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const open = async (folder: string): Promise<Crib> => {
  const crib = await createCribHost({
    root: folder,
    home: join(folder, 'home'),
    store: { sqlite: join(folder, 'state.db') },
    builtins: false,
  });
  cleanup.push(() => crib.close());
  return crib;
};

const heaps: number[] = [];
const text = 'x'.repeat(2_000);

/** Computes values of 2 kB, and notes the heap after the first and the last thousand. */
const many = defineFlow({
  name: 'many',
  version: '1.0.0',
  run: async (flow: FlowContext, { steps }: { steps: number }) => {
    for (let made = 0; made < steps; made += 1) {
      await flow.value(`v${made}`, () => text);
      if (made === 1_000 || made === steps - 1) heaps.push(heapAfterGc());
    }
    await flow.waitForEvent('go');
    return steps;
  },
});

/** How long a run takes to make its steps, and another process to replay them. */
const timesOf = async (steps: number): Promise<readonly [number, number]> => {
  const folder = root();
  const first = await open(folder);
  first.flows.register(many);
  const startedAt = performance.now();
  const { runId } = await first.flows.start('many', { steps });
  await expect
    .poll(async () => (await first.flows.get(runId))?.status, { timeout: 60_000, interval: 5 })
    .toBe('waiting');
  const made = performance.now() - startedAt;
  expect(await first.flows.steps(runId)).toHaveLength(steps + 1);
  await first.close();
  const second = await open(folder);
  await second.flows.send(runId, 'go');
  const replayedAt = performance.now();
  second.flows.register(many);
  const { finished } = await second.flows.start('many', { steps }, { runId });
  expect(await finished).toMatchObject({ status: 'completed', output: steps });
  return [made, performance.now() - replayedAt];
};

describe(`a run of ${STEPS} steps`, () => {
  it('is flat in memory beside its journal, and takes no longer for a step than a short one', async () => {
    await timesOf(STEPS / 10);
    const [madeFew, replayedFew] = await timesOf(STEPS / 4);
    heaps.length = 0;
    const [made, replayed] = await timesOf(STEPS);
    const [early = 0, late = 0] = heaps;
    // All values together are 20 MB, those that are not written yet half a megabyte.
    expect(late - early).toBeLessThan(6_000_000);
    // Four times the steps; sixteen times if each step looked at all others.
    expect(made / madeFew).toBeLessThan(10);
    expect(replayed / replayedFew).toBeLessThan(10);
  }, 120_000);
});

/** Cancelling a run while it ends, twice, and while one of its steps does not let go. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { createCribHost } from '../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const open = async (kind: 'memory' | 'sqlite') => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-cancel-'));
  const effects: string[] = [];
  const gate = { wait: async (_text: string): Promise<void> => undefined };
  const act = defineTool({
    name: 'act',
    description: 'Changes something.',
    tier: 'write',
    input: z.object({ text: z.string() }),
    run: async ({ text }) => {
      effects.push(text);
      await gate.wait(text);
      return text;
    },
  });
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    builtins: false,
    tools: [act],
    store: kind === 'memory' ? 'memory' : { sqlite: join(root, 'state.db') },
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow', tools: ['act'] }] },
  });
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  cleanup.push(() => crib.close());
  crib.flows.register(
    defineFlow({
      name: 'pair',
      version: '1.0.0',
      input: z.object({ id: z.string() }),
      run: async (flow, { id }) => {
        await flow.call(act, { text: `${id}-1` });
        await flow.call(act, { text: `${id}-2` });
      },
    }),
  );
  return { crib, effects, gate };
};

describe.each(['memory', 'sqlite'] as const)('a run in %s', (kind) => {
  it('that is cancelled twice around its end is cancelled once or completed, and all agree', async () => {
    const { crib, effects } = await open(kind);
    for (let round = 0; round < 40; round++) {
      const { runId, finished } = await crib.flows.start('pair', { id: `r${round}` });
      if (round % 4 === 3) await finished;
      else await pause((round % 4) * 2);
      const answers = await Promise.all([crib.flows.cancel(runId), crib.flows.cancel(runId)]);
      const { status } = await finished;
      const isCancelled = answers.includes(true);
      expect(answers.filter(Boolean).length).toBeLessThanOrEqual(1);
      expect(status).toBe(isCancelled ? 'cancelled' : 'completed');
      expect((await crib.flows.get(runId))?.status).toBe(status);
      expect(await crib.flows.cancel(runId)).toBe(false);
      expect(await crib.flows.resume(runId)).toBe(false);
    }
    expect(new Set(effects).size).toBe(effects.length);
  });

  it('that is cancelled in its last step keeps what it has done on record, and does no more', async () => {
    const { crib, effects, gate } = await open(kind);
    let letGo = (): void => undefined;
    gate.wait = (text) =>
      text === 'late-2'
        ? new Promise((resolve) => {
            letGo = resolve;
          })
        : Promise.resolve();
    const { runId, finished } = await crib.flows.start('pair', { id: 'late' });
    await expect.poll(() => effects).toEqual(['late-1', 'late-2']);
    expect(await crib.flows.cancel(runId)).toBe(true);
    expect((await finished).status).toBe('cancelled');
    // The tool ignores its signal and ends after the run.
    letGo();
    await pause(50);
    expect((await crib.flows.get(runId))?.status).toBe('cancelled');
    expect(await crib.flows.steps(runId)).toMatchObject([
      { state: 'done', value: 'late-1' },
      { state: 'failed', error: { inDoubt: expect.any(String) } },
    ]);
    expect(effects).toEqual(['late-1', 'late-2']);
  });
});

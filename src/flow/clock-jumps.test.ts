/** The clock of the machine is set back or forward by an hour while flows, jobs and schedules are at work. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createRuntime } from '../crib/create-runtime.ts';

const HOUR = 3_600_000;

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const open = async (kind: 'memory' | 'sqlite') => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-clock-'));
  const clock = { offset: 0 };
  const effects: string[] = [];
  const act = defineTool({
    name: 'act',
    description: 'Changes something.',
    tier: 'write',
    input: z.object({ text: z.string() }),
    run: ({ text }) => {
      effects.push(text);
      return text;
    },
  });
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    builtins: false,
    tools: [act],
    runtime: createRuntime({ now: () => Date.now() + clock.offset }),
    store: kind === 'memory' ? 'memory' : { sqlite: join(root, 'state.db') },
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow', tools: ['act'] }] },
  });
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  cleanup.push(() => crib.close());
  crib.flows.register(
    defineFlow({
      name: 'naps',
      version: '1.0.0',
      input: z.object({ id: z.string() }),
      run: async (flow, { id }) => {
        await flow.call(act, { text: `${id}-1` });
        await flow.sleep(20);
        await flow.call(act, { text: `${id}-2` });
      },
    }),
  );
  return { crib, clock, effects };
};

const tick = { type: 'tool', payload: { tool: 'act', input: { text: 'tick' } } };

describe.each(['memory', 'sqlite'] as const)('in %s', (kind) => {
  it.each([
    ['back', -HOUR],
    ['forward', HOUR],
  ])('flows, jobs and retries go on after the clock was set %s', async (_, offset) => {
    const { crib, clock, effects } = await open(kind);
    let failures = 0;
    crib.jobs.register('flaky', () => {
      failures += 1;
      if (failures < 3) throw new Error('once more');
    });
    await crib.jobs.work();
    await (await crib.flows.start('naps', { id: 'before' })).finished;
    clock.offset = offset;
    const backoff = { initialMs: 5, factor: 1, maxMs: 5 };
    const jobId = await crib.jobs.enqueue('flaky', {}, { backoff });
    expect((await (await crib.flows.start('naps', { id: 'after' })).finished).status).toBe(
      'completed',
    );
    await expect.poll(async () => (await crib.jobs.get(jobId))?.state).toBe('completed');
    expect(effects).toEqual(['before-1', 'before-2', 'after-1', 'after-2']);
  });

  it('a job of a schedule waits for its moment after the clock was set back, and runs once', async () => {
    const { crib, clock, effects } = await open(kind);
    await crib.jobs.schedule('hourly', { cron: '0 * * * *', ...tick });
    clock.offset = HOUR;
    // Makes the job of the moment; nobody works on its queue.
    const scheduler = await crib.jobs.work({ queues: ['other'] });
    await expect.poll(async () => (await crib.jobs.list({ type: 'tool' })).length).toBe(1);
    await scheduler.close();
    clock.offset = -HOUR;
    await crib.jobs.work();
    const states = async () => (await crib.jobs.list({ type: 'tool' })).map(({ state }) => state);
    await expect.poll(states).toEqual(['delayed']);
    expect(effects).toEqual([]);
    clock.offset = HOUR;
    await expect.poll(states).toEqual(['completed']);
    expect(effects).toEqual(['tick']);
  });
});

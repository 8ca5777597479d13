/** The threats: a call reported as not done goes on and writes; a key that misses inner effects. */
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { ToolDefinition } from '../contract/tool.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

type Run = (input: unknown, context: ToolContext) => unknown;
const tool = (name: string, run: Run, more: Partial<ToolDefinition<never, unknown>> = {}) =>
  aTool({ name, tier: 'write', run: run as never, ...more });

describe('threat: a cancelled call that goes on', () => {
  it('hostile: of 150 cancelled write_file calls none is recorded as not done and written later', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-cancelled-'));
    const crib = await createCribHost({
      store: { sqlite: join(root, '.toolcrib', 's.db') },
      root,
      home: join(root, 'home'),
    });
    const store = await crib.store();
    const effects = { not_done: 0, unknown: 0, done: 0, none: 0 };
    const wrong: string[] = [];
    for (let round = 0; round < 15; round++) {
      const calls = Array.from({ length: 10 }, async (_, n) => {
        const path = `f${round}-${n}.txt`;
        const controller = new AbortController();
        const call = crib.execute(
          'write_file',
          { path, content: 'x' },
          { signal: controller.signal },
        );
        await pause(Math.random() * 12);
        controller.abort();
        const { metadata } = await call;
        return { path, id: metadata.executionId };
      });
      const ended = await Promise.all(calls);
      await pause(60);
      for (const { path, id } of ended) {
        const [outcome] = await store.audit.query({ executionId: id, kind: 'outcome' });
        const effect = (outcome?.detail.effect ?? 'none') as keyof typeof effects;
        effects[effect]++;
        const isThere = existsSync(join(root, path));
        if (isThere && effect !== 'done' && effect !== 'unknown') wrong.push(`${path} ${effect}`);
        if (!isThere && effect === 'done') wrong.push(`${path} done and not there`);
      }
    }
    await crib.close();
    expect(wrong).toEqual([]);
    expect(effects.not_done + effects.none + effects.unknown).toBeGreaterThan(0);
  });

  it.each(['CANCELLED', 'TIMEOUT'])(
    'hostile: a tool that ignores %s gets every further request refused',
    async (code) => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const refused: unknown[] = [];
      let reached = 0;
      const other = tool('other', () => void reached++);
      const stubborn = tool(
        'stubborn',
        async (_input, context) => {
          await held;
          const uses = [
            () => context.fs.write('canary.txt', 'x'),
            () => context.fetch('https://example.com'),
            () => context.exec('ls'),
            () => context.memory.write('long-term', 'canary', 1),
            () => context.memory.update('long-term', 'canary', () => 1),
            () => context.memory.delete('long-term', 'canary'),
            () => context.secret('KEY'),
            () => context.resolveHost('example.com', 443),
          ];
          for (const use of uses) {
            await Promise.resolve()
              .then(use)
              .then(
                () => refused.push('done'),
                (error: unknown) => refused.push(error instanceof ToolFailure && error.code),
              );
          }
          refused.push((await context.call('other', {})).error?.code);
        },
        { needs: { paths: [{ path: '.', access: 'write' }] } as never, timeoutMs: 1000 },
      );
      const store = createMemoryStore();
      const crib = await testCrib([stubborn, other], { store });
      const controller = new AbortController();
      const call = crib.execute('stubborn', {}, { signal: controller.signal });
      await pause(5);
      if (code === 'CANCELLED') controller.abort();
      else await crib.runtime.advance(2000);
      const result = await call;
      release();
      await vi.waitFor(() => expect(refused).toHaveLength(9), { timeout: 10_000 });
      expect([result.error?.code, reached]).toEqual([code, 0]);
      expect(refused).toEqual(Array.from({ length: 9 }, () => code));
      const executionId = result.metadata.executionId;
      // The tool is no code of ours and was still running: nobody can say that it did nothing.
      expect((await crib.executions.status(executionId))?.effect).toBe('unknown');
    },
  );

  it('benign: a tool that was not cancelled can use its context', async () => {
    const crib = await testCrib([
      tool('keep', async (_input, { memory }) => {
        await memory.write('long-term', 'canary', 1);
        return memory.read('long-term', 'canary');
      }),
    ]);
    expect((await crib.execute('keep', {})).data).toBe(1);
  });
});

describe('threat: effects inside a call that only reads', () => {
  const setUp = async (fails: boolean) => {
    let effects = 0;
    const store = createMemoryStore();
    const crib = await testCrib(
      [
        tool('pay', () => ++effects),
        tool(
          'plan',
          async (_input, { call }) => {
            await call('pay', {});
            if (fails) throw new ToolFailure('NETWORK');
            return 'planned';
          },
          { tier: 'read_only', retry: { maxRetries: 3, backoff: { type: 'none' } } },
        ),
      ],
      { store },
    );
    return { crib, store, effects: () => effects };
  };

  it('hostile: an outer call with an inner effect is neither retried nor run again under its key', async () => {
    const { crib, effects } = await setUp(true);
    const as = { idempotencyKey: 'k' };
    const first = await crib.execute('plan', {}, as);
    const second = await crib.execute('plan', {}, as);
    expect([first.error?.code, second.error?.code, effects()]).toEqual(['NETWORK', 'NETWORK', 1]);
    expect((await crib.executions.status(first.metadata.executionId))?.effect).toBe('unknown');
  });

  it('hostile: the mark of the outer call is on record before the inner effect', async () => {
    const store = createMemoryStore();
    const seen: string[] = [];
    const crib = await testCrib(
      [
        tool('pay', async () => {
          for (const { entry } of await store.intents.open()) seen.push(entry.tool);
        }),
        tool('middle', (_input, { call }) => call('pay', {}), { tier: 'read_only' }),
        tool('outer', (_input, { call }) => call('middle', {}), { tier: 'read_only' }),
      ],
      { store },
    );
    await crib.execute('outer', {});
    expect(seen).toEqual(['outer', 'middle', 'pay']);
    expect(await store.intents.open()).toEqual([]);
  });

  it('benign: an outer call that only reads may still not write by itself', async () => {
    const crib = await testCrib([
      tool('pay', () => 1),
      tool(
        'sly',
        async (_input, { call, fs }) => {
          await call('pay', {});
          await fs.write('canary.txt', 'x');
        },
        { tier: 'read_only', needs: { paths: [{ path: '.', access: 'write' }] } as never },
      ),
    ]);
    expect((await crib.execute('sly', {})).error?.code).toBe('PERMISSION_DENIED');
  });
});

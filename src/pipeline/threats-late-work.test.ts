/** The threat: a tool has settled, and what it left behind goes on after its outcome is on record. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { ToolDefinition } from '../contract/tool.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

type Run = (input: { readonly n?: number }, context: ToolContext) => unknown;
const tool = (name: string, run: Run, more: Partial<ToolDefinition<never, unknown>> = {}) =>
  aTool({ name, tier: 'write', run: run as never, ...more });

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
beforeEach(() => void unhandled.splice(0));
afterAll(() => void process.off('unhandledRejection', note));

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const WRITES = { paths: [{ path: '.', access: 'write' }] } as never;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('threat: a tool that fails while its own work is under way', () => {
  /** A crib whose store keeps a snapshot only when `release` is called, with a tool that fails meanwhile. */
  const halfCrib = async (failing: (begun: Promise<void>) => Promise<void>) => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-late-'));
    folders.push(root);
    const memory = createMemoryStore();
    let release: () => void = () => undefined;
    let begin: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const save = async (...snapshot: Parameters<typeof memory.snapshots.save>) => {
      begin();
      await released;
      return memory.snapshots.save(...snapshot);
    };
    let writing: Promise<unknown> = Promise.resolve();
    const run: Run = async (_input, { fs }) => {
      writing = fs.write('f.txt', 'x'.repeat(200_000));
      await Promise.all([writing, failing(begun).then(() => Promise.reject(new Error('half')))]);
    };
    const half = tool('half', run, { needs: WRITES });
    const store = { ...memory, snapshots: { ...memory.snapshots, save } };
    const crib = await testCrib([half], { root, store });
    return { crib, release, path: join(root, 'f.txt'), written: () => writing };
  };

  it('hostile: a write that has not begun when the call fails is never made', async () => {
    const { crib, release, path, written } = await halfCrib((begun) => begun);
    const { metadata } = await crib.execute('half', {});
    expect((await crib.executions.status(metadata.executionId))?.effect).toBe('not_done');
    release();
    await expect(written()).rejects.toThrow('The call is over');
    expect(existsSync(path)).toBe(false);
  });

  it.each([0, 1, 2, 3, 5, 10])(
    'hostile: a write that has begun %i turns before the call fails is not recorded as not done',
    async (turns) => {
      const half = await halfCrib(async (begun) => {
        await begun;
        half.release();
        await Promise.resolve();
        for (let n = 0; n < turns; n++) await turn();
      });
      const { metadata } = await half.crib.execute('half', {});
      await half.written().catch(() => undefined);
      const status = await half.crib.executions.status(metadata.executionId);
      expect(status?.effect === 'not_done' && existsSync(half.path)).toBe(false);
    },
  );

  it.each(['write', 'read_only'] as const)(
    'hostile: an inner call that a failed %s call left behind changes nothing after its outcome',
    async (tier) => {
      const store = createMemoryStore();
      const effects: string[] = [];
      const slow = tool('slow', async (_input, { signal, memory }) => {
        await pause(30);
        // A tool that ignores its signal; what it does goes through the broker.
        await memory.write('long-term', 'canary', signal.aborted);
        effects.push('slow');
      });
      const outer = tool(
        'outer',
        async (_input, { call }) => {
          await Promise.all([call('slow', {}), turn().then(() => Promise.reject(new Error('no')))]);
        },
        { tier, retry: { maxRetries: 3, backoff: { type: 'none' } } },
      );
      const crib = await testCrib([slow, outer], { store });
      const as = { idempotencyKey: 'k' };
      const first = await crib.execute('outer', {}, as);
      await crib.execute('outer', {}, as);
      await pause(80);
      expect([first.success, effects]).toEqual([false, []]);
      const rows = await store.audit.query({ kind: 'outcome' });
      const inner = rows.find((row) => row.tool === 'slow');
      const ofOuter = rows.find((row) => row.executionId === first.metadata.executionId);
      expect(inner?.status).toBe('cancelled');
      expect(Number(inner?.seq)).toBeLessThan(Number(ofOuter?.seq));
      expect(rows.filter((row) => row.tool === 'slow').length).toBeLessThanOrEqual(1);
      expect(await store.intents.open()).toEqual([]);
      expect(unhandled).toEqual([]);
    },
  );
});

describe('threat: a tool that has succeeded and goes on', () => {
  it('hostile: every request that it makes later is refused, and none of them ends the process', async () => {
    const store = createMemoryStore();
    const answers: unknown[] = [];
    let reached = 0;
    let over: () => void = () => undefined;
    const isOver = new Promise<void>((resolve) => {
      over = resolve;
    });
    const uses = ({ fs, fetch, exec, memory, secret, resolveHost, charge }: ToolContext) => [
      () => fs.write('canary.txt', 'x'),
      () => fetch('https://example.com'),
      () => exec('ls'),
      () => memory.write('long-term', 'canary', 1),
      () => memory.update('long-term', 'canary', () => 1),
      () => secret('KEY'),
      () => resolveHost('example.com', 443),
      async () => charge({ cost: 0.5 }),
    ];
    const goesOn = async (context: ToolContext): Promise<void> => {
      await isOver;
      for (const use of uses(context)) {
        await use().then(
          () => answers.push('done'),
          (error: unknown) => answers.push(error instanceof ToolFailure),
        );
      }
      // Dropped: nobody waits for these.
      for (const use of uses(context).slice(0, -1)) void use();
      answers.push((await context.call('other', {})).success);
      void context.call('other', {});
    };
    const sly = tool('sly', (_input, context) => void goesOn(context), { needs: WRITES });
    const other = tool('other', () => void reached++);
    const crib = await testCrib([sly, other], { store, config: { budget: { dailyUsd: 2 } } });
    const result = await crib.execute('sly', {});
    over();
    await expect.poll(() => answers.length).toBe(9);
    await pause(20);
    expect([result.success, reached]).toEqual([true, 0]);
    expect(answers).toEqual([...Array.from({ length: 8 }, () => true), false]);
    expect(unhandled).toEqual([]);
    const [line] = await store.ledger.lines('user:');
    expect([line?.heldMicros ?? 0, line?.spentMicros ?? 0]).toEqual([0, 0]);
  });

  it('hostile: a call that it left behind is over, and on record, before its own outcome', async () => {
    const store = createMemoryStore();
    const done: number[] = [];
    const slow = tool('slow', async () => {
      await pause(20);
      done.push(1);
    });
    const outer = tool('outer', (_input, { call }) => void call('slow', {}), { tier: 'read_only' });
    const crib = await testCrib([slow, outer], { store });
    const result = await crib.execute('outer', {});
    expect([result.success, done]).toEqual([true, [1]]);
    const rows = await store.audit.query({});
    const order = rows.toReversed().map(({ tool: name, kind }) => `${name} ${kind}`);
    expect(order).toEqual(['outer intent', 'slow intent', 'slow outcome', 'outer outcome']);
    expect((await crib.executions.status(result.metadata.executionId))?.effect).toBe('done');
  });

  it('hostile: one that it left behind for ever ends with the time of the outer call', async () => {
    const store = createMemoryStore();
    const stuck = tool('stuck', () => new Promise(() => undefined));
    const outer = tool('outer', (_input, { call }) => void call('stuck', {}), { timeoutMs: 500 });
    const crib = await testCrib([stuck, outer], { store });
    const call = crib.execute('outer', {});
    await turn();
    await crib.runtime.advance(600);
    expect((await call).error?.code).toBe('TIMEOUT');
    await crib.close();
    expect(await store.intents.open()).toEqual([]);
  });

  it('hostile: what it charges later is not held', async () => {
    const store = createMemoryStore();
    let charge: ToolContext['charge'] = () => undefined;
    const pay = tool('pay', (_input, context) => {
      charge = context.charge;
    });
    const crib = await testCrib([pay], { store, config: { budget: { dailyUsd: 2 } } });
    for (let n = 0; n < 5; n++) {
      await crib.execute('pay', { n });
      expect(() => charge({ cost: 0.01 })).toThrow(ToolFailure);
    }
    await pause(10);
    const [line] = await store.ledger.lines('user:');
    expect([line?.heldMicros ?? 0, line?.spentMicros ?? 0]).toEqual([0, 0]);
  });

  it('benign: calls and writes that a tool waits for are done, also in its effects', async () => {
    const store = createMemoryStore();
    let inner = 0;
    const add = tool('add', () => ++inner);
    const outer = tool(
      'outer',
      async (_input, { call, memory }) => {
        await Promise.all([call('add', {}), call('add', {}), memory.write('long-term', 'a', 1)]);
        return memory.read('long-term', 'a');
      },
      {
        effects: [
          {
            type: 'cascade',
            description: 'adds once more',
            reversible: false,
            triggerTool: 'add',
            input: {},
          },
        ] as never,
      },
    );
    const crib = await testCrib([add, outer], { store });
    expect(await crib.execute('outer', {})).toMatchObject({ success: true, data: 1 });
    expect(inner).toBe(3);
  });
});

describe('threat: a call is cancelled while the intent of an inner one is written', () => {
  it('hostile: no intent is left open, and no outcome comes before its intent', async () => {
    const memory = createMemoryStore();
    let slow = 0;
    const store = {
      ...memory,
      audit: {
        ...memory.audit,
        intend: async (...intents: Parameters<typeof memory.audit.intend>) => {
          slow += 1;
          await pause(20);
          return memory.audit.intend(...intents);
        },
      },
    };
    let done = 0;
    const pay = tool('pay', () => void done++);
    const outer = tool('outer', (_input, { call }) => call('pay', {}), { tier: 'read_only' });
    const crib = await testCrib([pay, outer], { store });
    const controller = new AbortController();
    const call = crib.execute('outer', {}, { signal: controller.signal });
    await expect.poll(() => slow).toBe(1);
    controller.abort();
    const { status } = await call;
    await pause(60);
    expect([status, done]).toEqual(['cancelled', 0]);
    expect(await memory.intents.open()).toEqual([]);
  });
});

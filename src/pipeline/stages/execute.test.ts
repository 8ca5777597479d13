import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure, toolError } from '../../contract/errors.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

describe('execute', () => {
  it('puts the intent on record before the tool starts, and the outcome after', async () => {
    const store = createMemoryStore();
    const before: string[] = [];
    const run = async () => {
      before.push(...(await store.audit.query()).map(({ kind, status }) => `${kind} ${status}`));
    };
    const crib = await testCrib([aTool({ tier: 'write', run })], { store });
    await crib.execute('echo', {});
    expect(before).toEqual(['intent started']);
    const rows = await store.audit.query();
    expect(rows.map(({ kind, status, detail }) => [kind, status, detail.effect])).toEqual([
      ['outcome', 'success', 'done'],
      ['intent', 'started', undefined],
    ]);
    expect(await store.intents.open()).toEqual([]);
  });

  it('a read-only call needs no intent', async () => {
    const store = createMemoryStore();
    const crib = await testCrib([aTool()], { store });
    await crib.execute('echo', {});
    expect((await store.audit.query()).map(({ kind }) => kind)).toEqual(['outcome']);
  });

  it.each([
    ['a coded failure', () => new ToolFailure('CONFLICT', 'busy'), 'CONFLICT', 'busy'],
    ['a plain error', () => new Error('out of cheese'), 'EXECUTION_FAILED', 'out of cheese'],
    ['a thrown string', () => 'words', 'EXECUTION_FAILED', 'words'],
    [
      'a system error',
      () => Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
      'NETWORK',
      undefined,
    ],
    ['nothing at all', () => undefined, 'EXECUTION_FAILED', undefined],
  ])('%s becomes a result', async (_name, error, code, message) => {
    for (const run of [
      () => {
        throw error();
      },
      () => Promise.reject(error()),
    ]) {
      const crib = await testCrib([aTool({ run })]);
      const result = await crib.execute('echo', {});
      expect([result.success, result.error?.code]).toEqual([false, code]);
      if (message !== undefined) expect(result.error?.message).toBe(message);
    }
  });

  it('thenables that are no promises are awaited too', async () => {
    const answer = (resolve: (value: unknown) => void) => resolve('late');
    const thenable = Object.defineProperty({}, 'then', { value: answer });
    const crib = await testCrib([aTool({ run: () => thenable })]);
    expect((await crib.execute('echo', {})).data).toBe('late');
  });

  it('a tool that changes its input does not change the record', async () => {
    const run = (input: { list: number[] }) => input.list.push(99);
    for (const tier of ['read_only', 'write'] as const) {
      const crib = await testCrib([aTool({ tier, run: run as never })]);
      await crib.execute('echo', { list: [1] });
      const rows = await crib.audit.query();
      expect(rows.at(-1)?.detail.input).toEqual({ list: [1] });
    }
  });

  it('argument values do not come back in messages', async () => {
    const run = (input: { path: string }) => {
      throw new Error(`cannot open ${input.path}!`);
    };
    const crib = await testCrib([aTool({ run: run as never })]);
    const { error } = await crib.execute('echo', { path: '/home/canary/file' });
    expect(error?.message).toBe('cannot open ‹path›!');
  });

  it('a coded message keeps words that equal an argument, and hides what its name calls secret', async () => {
    const run = () => {
      throw new ToolFailure('VALIDATION_ERROR', 'The content is no valid base64, said hunter2.');
    };
    const crib = await testCrib([aTool({ run })]);
    const input = { encoding: 'base64', content: 'valid', password: 'hunter2' };
    const { error } = await crib.execute('echo', input);
    expect(error?.message).toBe('The content is no valid base64, said ‹password›.');
  });

  it('a word of an argument is hidden only where it stands by itself', async () => {
    const run = () => {
      throw new Error('cannot reopen what is open');
    };
    const crib = await testCrib([aTool({ run })]);
    const { error } = await crib.execute('echo', { mode: 'open' });
    expect(error?.message).toBe('cannot reopen what is ‹mode›');
  });

  it('handleError may translate; one that throws itself is ignored', async () => {
    const run = () => {
      throw new Error('E42');
    };
    const good = await testCrib([aTool({ run, handleError: () => toolError('LOCK', 'held') })]);
    expect((await good.execute('echo', {})).error).toMatchObject({ code: 'LOCK', message: 'held' });
    const bad = await testCrib([
      aTool({
        run,
        handleError: () => {
          throw new Error('again');
        },
      }),
    ]);
    expect((await bad.execute('echo', {})).error?.message).toBe('E42');
  });

  it('checks the output against its schema', async () => {
    const output = z.object({ n: z.number() }) as never;
    const good = await testCrib([aTool({ output, run: () => ({ n: 1 }) })]);
    expect((await good.execute('echo', {})).data).toEqual({ n: 1 });
    const bad = await testCrib([aTool({ output, run: () => ({ n: 'one' }) })]);
    expect((await bad.execute('echo', {})).error?.code).toBe('OUTPUT_INVALID');
  });

  it('initializes once, lazily, before the first call; cleans up on close', async () => {
    const order: string[] = [];
    const tool = aTool({
      initialize: async () => {
        order.push('initialize');
      },
      cleanup: async () => {
        order.push('cleanup');
      },
      run: () => order.push('run'),
    });
    const crib = await testCrib([tool]);
    expect(order).toEqual([]);
    await Promise.all([crib.execute('echo', {}), crib.execute('echo', {})]);
    await crib.close();
    expect(order).toEqual(['initialize', 'run', 'run', 'cleanup']);
  });

  it('a failed initialize fails the call, and the next one tries again', async () => {
    let tries = 0;
    const initialize = async () => {
      if (++tries === 1) throw new ToolFailure('DEPENDENCY_MISSING', 'no engine');
    };
    const crib = await testCrib([aTool({ initialize })]);
    expect((await crib.execute('echo', {})).error?.code).toBe('DEPENDENCY_MISSING');
    expect((await crib.execute('echo', {})).success).toBe(true);
  });

  it('a tool may take its context apart', async () => {
    const run = async (_input: unknown, context: ToolContext) => {
      const { progress, charge, warn, call, memory, fs, logger, userId } = context;
      progress(0.5);
      charge({ tokens: 3 });
      warn('careful');
      logger.info('hello');
      await memory.write('working', 'k', 1);
      return [userId, (await call('inner', {})).data, await memory.read('working', 'k'), typeof fs];
    };
    const crib = await testCrib([
      aTool({ run: run as never }),
      aTool({ name: 'inner', run: () => 'in' }),
    ]);
    const result = await crib.execute('echo', {}, { userId: 'ada' });
    expect(result.data).toEqual(['ada', 'in', 1, 'object']);
    expect([result.metadata.tokensUsed, result.warnings]).toEqual([3, ['careful']]);
  });

  it('cancel ends a running call, whether the tool listens or not', async () => {
    const crib = await testCrib([aTool({ run: () => new Promise(() => undefined) })]);
    let id = '';
    crib.events.on('call.started', ({ executionId }) => (id = executionId));
    const call = crib.execute('echo', {});
    await crib.runtime.advance(1);
    expect((await crib.executions.status(id))?.state).toBe('running');
    expect(crib.executions.cancel(id)).toBe(true);
    expect(crib.executions.cancel(id)).toBe(false);
    expect((await call).status).toBe('cancelled');
    expect((await crib.executions.status(id))?.state).toBe('cancelled');
    expect(crib.executions.cancel('unknown')).toBe(false);
  });

  it('a dry run walks every gate, reports, and runs nothing', async () => {
    let ran = 0;
    const tool = aTool({
      tier: 'external_api',
      cost: { model: 'usage_based', fixed: 0.25 },
      effects: [
        { type: 'notification', event: 'e', description: 'tells people', reversible: false },
      ],
      run: () => ++ran,
    });
    const crib = await testCrib([tool]);
    const result = await crib.execute('echo', {}, { dryRun: true });
    expect(result.data).toMatchObject({
      verdict: 'ask',
      rule: 'tier-4-external',
      estimate: { costMicros: 250_000, confidence: 'exact' },
      approvalsNeeded: 1,
      effects: ['tells people'],
    });
    expect(ran).toBe(0);
    expect(await crib.approvals.list()).toEqual([]);
    expect((await crib.execute('echo', 5, { dryRun: true })).error?.code).toBe('VALIDATION_ERROR');
  });

  it('a tool that asks for a sandbox that is not available is refused, never run without', async () => {
    let ran = 0;
    const crib = await testCrib([aTool({ sandbox: { type: 'wasm' }, run: () => ++ran })]);
    expect((await crib.execute('echo', {})).error?.code).toBe('SANDBOX_ERROR');
    expect(ran).toBe(0);
  });
});

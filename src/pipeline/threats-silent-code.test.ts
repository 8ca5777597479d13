/** The threat: code beside the run of a tool never settles, and its call, or `close`, never ends. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { Approver } from '../contract/approver.ts';
import type { ToolResult } from '../contract/result.ts';
import type { ToolDefinition } from '../contract/tool.ts';
import type { CribOptions } from '../crib/crib-options.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

const never = (): Promise<never> => new Promise(() => undefined);

type Definition = Partial<ToolDefinition<never, unknown>>;

const effect = (more: object) =>
  ({ type: 'notification', event: 'e', description: 'tells', reversible: true, ...more }) as never;

const start = async (definition: Definition, options: CribOptions = {}) => {
  const store = createMemoryStore();
  const crib = await testCrib([aTool({ timeoutMs: 5_000, ...definition })], { store, ...options });
  const call = crib.execute('echo', {});
  return { crib, store, call };
};

const endOf = async (definition: Definition): Promise<ToolResult> => {
  const { crib, store, call } = await start(definition);
  const closed = crib.close();
  await crib.runtime.advance(60_000);
  const result = await call;
  await closed;
  const rows = await store.audit.query({ executionId: result.metadata.executionId });
  expect(rows.filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
  return result;
};

describe('threat: code of a tool that never settles', () => {
  it('hostile: in initialize, the call ends in time, and close ends', async () => {
    expect((await endOf({ initialize: never })).error?.code).toBe('TIMEOUT');
  });

  it('hostile: in a precondition, the precondition is not met', async () => {
    const precondition = { type: 'state', description: 'ready', critical: true, check: never };
    const { error } = await endOf({ preconditions: [precondition] as never });
    expect(error?.code).toBe('PRECONDITION_FAILED');
  });

  it('hostile: in ten preconditions, a call that is cancelled ends at once, and so does close', async () => {
    let asked = 0;
    const check = () => {
      asked += 1;
      return never();
    };
    const precondition = { type: 'state', description: 'ready', critical: true, check };
    const preconditions = Array.from({ length: 10 }, () => precondition) as never;
    const crib = await testCrib([aTool({ preconditions })]);
    const controller = new AbortController();
    const timers = crib.runtime.pendingTimers;
    const call = crib.execute('echo', {}, { signal: controller.signal });
    await expect.poll(() => asked).toBe(1);
    controller.abort();
    expect((await call).status).toBe('cancelled');
    expect([asked, crib.runtime.pendingTimers]).toEqual([1, timers]);
    await crib.close();
  });

  it('hostile: in ten validators, a call that is cancelled ends at once', async () => {
    let asked = 0;
    const check = () => {
      asked += 1;
      return never();
    };
    const validators = Array.from({ length: 10 }, () => ({ name: 'rule', check }));
    const crib = await testCrib([aTool({ validators })]);
    const controller = new AbortController();
    const timers = crib.runtime.pendingTimers;
    const call = crib.execute('echo', {}, { signal: controller.signal });
    await expect.poll(() => asked).toBe(1);
    controller.abort();
    expect((await call).status).toBe('cancelled');
    expect([asked, crib.runtime.pendingTimers]).toEqual([1, timers]);
  });

  it.each([
    ['the tool', { timeoutMs: 2_000 }, {}],
    ['the call', { timeoutMs: 60_000 }, { timeoutMs: 2_000 }],
  ])('hostile: in a precondition, it is waited no longer than %s may take', async (_, tool, as) => {
    const precondition = { type: 'state', description: 'ready', critical: true, check: never };
    const crib = await testCrib([aTool({ ...tool, preconditions: [precondition] as never })]);
    const call = crib.execute('echo', {}, as);
    await crib.runtime.advance(2_000);
    expect((await call).error?.code).toBe('PRECONDITION_FAILED');
    const messages = crib.runtime.logged.map(({ message }) => message);
    expect(messages).toContain('precondition timed out');
    expect(messages).not.toContain('precondition threw');
  });

  it('hostile: in an effect, the result says that it may still come', async () => {
    const { error } = await endOf({ effects: [effect({ apply: never })] });
    expect(error?.code).toBe('EFFECT_FAILED');
    expect(error?.suggestions[0]).toContain('may still take effect');
  });

  it('hostile: in a rollback, the effect is said to stand', async () => {
    const effects = [
      effect({ apply: async () => undefined, rollback: never }),
      effect({ apply: () => Promise.reject(new Error('no')) }),
    ];
    const { error } = await endOf({ effects: effects as never });
    expect(error).toMatchObject({ code: 'EFFECT_FAILED', standing: ['tells'] });
  });

  it('hostile: tries without a pause leave the event loop its turns', async () => {
    let tries = 0;
    let turned = false;
    const crib = await testCrib([
      aTool({
        run: () => {
          tries += 1;
          if (!turned) throw new Error('again');
          return tries;
        },
        retry: {
          maxRetries: 1_000_000,
          backoff: { type: 'none' },
          retryableErrors: ['EXECUTION_FAILED'],
        },
      }),
    ]);
    setImmediate(() => {
      turned = true;
    });
    const result = await crib.execute('echo', {});
    expect(result.success).toBe(true);
    expect(tries).toBeLessThan(100);
  });
});

describe('threat: an approver that never answers', () => {
  const silent = () => {
    const signals: AbortSignal[] = [];
    const approver: Approver = {
      ask: (_request, signal) => {
        signals.push(signal);
        return never();
      },
    };
    return { approver, signals };
  };
  const risky = { tier: 'execute' } as const;

  it('hostile: close leaves its question to the inbox, tells it, and ends', async () => {
    const { approver, signals } = silent();
    const { crib, store, call } = await start(risky, { approver });
    await expect.poll(() => signals.length).toBe(1);
    await crib.close();
    expect((await call).status).toBe('pending');
    expect(signals[0]?.aborted).toBe(true);
    const [waiting] = await store.approvals.list('waiting');
    expect(waiting?.tool).toBe('echo');
  });

  it('hostile: nobody is asked while the crib closes', async () => {
    const { approver, signals } = silent();
    let proceed: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const precondition = {
      type: 'state',
      description: 'held',
      critical: true,
      check: () => held.then(() => true),
    };
    const { crib, call } = await start(
      { ...risky, preconditions: [precondition] as never },
      { approver },
    );
    await crib.audit.query({});
    const closed = crib.close();
    proceed();
    expect([(await call).status, signals.length]).toEqual(['pending', 0]);
    await closed;
  });

  it('hostile: its question expires', async () => {
    const { approver, signals } = silent();
    const { crib, call } = await start(risky, { approver });
    await expect.poll(() => signals.length).toBe(1);
    await crib.runtime.advance(24 * 60 * 60_000);
    expect((await call).error?.code).toBe('APPROVAL_EXPIRED');
    expect(signals[0]?.aborted).toBe(true);
  });

  it('hostile: the crib holds on to no question that was answered', async () => {
    const signals: AbortSignal[] = [];
    const approver: Approver = {
      ask: async (_request, signal) => {
        signals.push(signal);
        return { answer: 'approve', by: 'ada' };
      },
    };
    const { crib, call } = await start(risky, { approver });
    expect((await call).success).toBe(true);
    await crib.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('hostile: a call that is cancelled meanwhile ends, and nobody can approve it any more', async () => {
    const { approver, signals } = silent();
    const store = createMemoryStore();
    const crib = await testCrib([aTool(risky)], { store, approver });
    const controller = new AbortController();
    const call = crib.execute('echo', {}, { signal: controller.signal });
    await expect.poll(() => signals.length).toBe(1);
    controller.abort();
    expect((await call).error?.code).toBe('CANCELLED');
    expect(await store.approvals.list('waiting')).toEqual([]);
  });

  it('benign: one that takes its time is heard', async () => {
    const approver: Approver = {
      ask: () =>
        new Promise((resolve) => {
          setTimeout(() => resolve({ answer: 'approve', by: 'ada' }), 20);
        }),
    };
    const { call } = await start(risky, { approver });
    expect((await call).success).toBe(true);
  });
});

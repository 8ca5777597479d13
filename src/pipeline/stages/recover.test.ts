import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { AuditLog } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

/** Fails so many times, then succeeds. */
const flaky = (failures: number, error: () => unknown = () => new ToolFailure('NETWORK')) => {
  const seen = { runs: 0 };
  const run = () => {
    if (++seen.runs <= failures) throw error();
    return seen.runs;
  };
  return { seen, run };
};

const SECOND = 1000;

describe('retry', () => {
  it('tries again with the backoff of its policy', async () => {
    const { seen, run } = flaky(2);
    const crib = await testCrib([aTool({ run, retry: RetryPolicies.STANDARD })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(SECOND - 1);
    expect(seen.runs).toBe(1);
    await crib.runtime.advance(1);
    expect(seen.runs).toBe(2);
    await crib.runtime.advance(2 * SECOND);
    const result = await call;
    expect([result.success, result.metadata.attempts]).toEqual([true, 3]);
  });

  it('gives up with MAX_RETRIES_EXCEEDED and the last cause', async () => {
    const { run } = flaky(9);
    const crib = await testCrib([aTool({ run, retry: RetryPolicies.QUICK })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(10 * SECOND);
    const { error, metadata } = await call;
    expect([error?.code, error?.cause, metadata.attempts]).toEqual([
      'MAX_RETRIES_EXCEEDED',
      'NETWORK',
      4,
    ]);
  });

  it('does not repeat a call whose failure is not retryable', async () => {
    const { seen, run } = flaky(9, () => new ToolFailure('NOT_FOUND'));
    const crib = await testCrib([aTool({ run, retry: RetryPolicies.AGGRESSIVE })]);
    expect((await crib.execute('echo', {})).error?.code).toBe('NOT_FOUND');
    expect(seen.runs).toBe(1);
  });

  it('never repeats an effect that may have happened', async () => {
    const { seen, run } = flaky(9);
    const crib = await testCrib([aTool({ tier: 'write', run, retry: RetryPolicies.STANDARD })]);
    expect((await crib.execute('echo', {})).error?.code).toBe('NETWORK');
    expect(seen.runs).toBe(1);
  });

  it('repeats it when the tool is idempotent, or when the other side did not begin', async () => {
    const idempotent = flaky(1);
    const one = await testCrib([
      aTool({ tier: 'write', idempotent: true, run: idempotent.run, retry: RetryPolicies.QUICK }),
    ]);
    const first = one.execute('echo', {});
    await one.runtime.advance(SECOND);
    expect((await first).success).toBe(true);
    const limited = flaky(1, () => new ToolFailure('RATE_LIMITED'));
    const two = await testCrib([
      aTool({ tier: 'write', run: limited.run, retry: RetryPolicies.QUICK }),
    ]);
    const second = two.execute('echo', {});
    await two.runtime.advance(SECOND);
    expect((await second).success).toBe(true);
  });

  it('waits as long as Retry-After says', async () => {
    const { seen, run } = flaky(
      1,
      () => new ToolFailure('RATE_LIMITED', 'slow', { retryAfterMs: 5 * SECOND }),
    );
    const crib = await testCrib([aTool({ run, retry: RetryPolicies.QUICK })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(4 * SECOND);
    expect(seen.runs).toBe(1);
    await crib.runtime.advance(SECOND);
    expect((await call).success).toBe(true);
  });

  it('the default policy and a policy per tool come from the configuration', async () => {
    const { run } = flaky(1);
    const crib = await testCrib([aTool({ run })], { config: { execution: { retry: 'QUICK' } } });
    const call = crib.execute('echo', {});
    await crib.runtime.advance(SECOND);
    expect((await call).success).toBe(true);
  });
});

describe('timeouts', () => {
  const never = () => new Promise(() => undefined);

  it('end a call that takes too long, and abort its signal', async () => {
    let signal: AbortSignal | undefined;
    const run = (_input: unknown, context: { signal: AbortSignal }) => {
      signal = context.signal;
      return never();
    };
    const crib = await testCrib([aTool({ timeoutMs: 500, run: run as never })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(499);
    expect(signal?.aborted).toBe(false);
    await crib.runtime.advance(1);
    const result = await call;
    expect([result.status, result.error?.code, signal?.aborted]).toEqual([
      'timeout',
      'TIMEOUT',
      true,
    ]);
  });

  it('cover all attempts together', async () => {
    const { run } = flaky(99);
    const crib = await testCrib([aTool({ timeoutMs: 1500, run, retry: RetryPolicies.QUICK })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(1500);
    expect((await call).status).toBe('timeout');
  });

  it('progress resets only the idle one', async () => {
    const run = (_input: unknown, context: { progress(n: number): void }) =>
      new Promise((_resolve) => {
        const tick = (n: number): void => {
          context.progress(n / 10);
          if (n < 100) crib.runtime.after(400, () => tick(n + 1));
        };
        tick(0);
      });
    const crib = await testCrib([
      aTool({ timeoutMs: 2000, idleTimeoutMs: 500, run: run as never }),
    ]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(1900);
    await crib.runtime.advance(100);
    const result = await call;
    expect([result.status, result.metadata.duration]).toEqual(['timeout', 2000]);
  });

  it('silence beyond the idle limit ends the call', async () => {
    const crib = await testCrib([aTool({ timeoutMs: 9000, idleTimeoutMs: 500, run: never })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(500);
    expect((await call).metadata.duration).toBe(500);
  });
});

describe('circuit breaker', () => {
  it('rests after failures, probes, and closes again', async () => {
    const { seen, run } = flaky(2);
    const crib = await testCrib([aTool({ run, breaker: { failures: 2, restMs: 1000 } })]);
    const events: string[] = [];
    crib.events.on('circuit.opened', () => events.push('opened'));
    crib.events.on('circuit.closed', () => events.push('closed'));
    await crib.execute('echo', {});
    await crib.execute('echo', {});
    const refused = await crib.execute('echo', {});
    expect([refused.error?.code, refused.error?.retryAfterMs, seen.runs]).toEqual([
      'CIRCUIT_OPEN',
      1000,
      2,
    ]);
    await crib.runtime.advance(1000);
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect(events).toEqual(['opened', 'closed']);
  });

  it('a probe that found the bulkhead full is given to the next call', async () => {
    const { run } = flaky(1);
    let release: (value: unknown) => void = () => undefined;
    const slow = aTool({ name: 'slow', run: () => new Promise((resolve) => (release = resolve)) });
    const crib = await testCrib([slow, aTool({ run, breaker: { failures: 1, restMs: 1000 } })], {
      config: { execution: { maxConcurrentTools: 1, queueLimit: 0 } },
    });
    await crib.execute('echo', {});
    await crib.runtime.advance(1000);
    const occupied = crib.execute('slow', {});
    await crib.runtime.advance(1);
    expect((await crib.execute('echo', {})).error?.code).toBe('RATE_LIMITED');
    release(1);
    await occupied;
    expect((await crib.execute('echo', {})).success).toBe(true);
  });

  it('bad input does not trip it', async () => {
    const run = () => {
      throw new ToolFailure('VALIDATION_ERROR', 'no');
    };
    const crib = await testCrib([aTool({ run, breaker: { failures: 1, restMs: 1000 } })]);
    await crib.execute('echo', {});
    expect((await crib.execute('echo', {})).error?.code).toBe('VALIDATION_ERROR');
  });

  it('opens by the error rate of the tool, for the caller whose calls fail', async () => {
    let made = 0;
    const run = () => {
      made += 1;
      if (made % 2 === 1) throw new Error('every other call fails');
      return 'ok';
    };
    const errorRate = { max: 0.5, windowMs: 60_000, minCalls: 4 };
    const retry = RetryPolicies.NONE;
    const crib = await testCrib([
      aTool({ run, retry, breaker: { failures: 5, restMs: 1000, errorRate } }),
    ]);
    const codes: (string | undefined)[] = [];
    for (let at = 0; at < 6; at += 1) codes.push((await crib.execute('echo', {})).error?.code);
    expect(codes).toEqual([
      ...['EXECUTION_FAILED', undefined, 'EXECUTION_FAILED', undefined, 'EXECUTION_FAILED'],
      'CIRCUIT_OPEN',
    ]);
    await crib.runtime.advance(1000);
    expect((await crib.execute('echo', {})).success).toBe(true);
  });

  it('tools of one server share its breaker', async () => {
    const { run } = flaky(99);
    const breaker = { failures: 1, restMs: 1000 };
    const crib = await testCrib([
      aTool({ name: 'a', server: 's', breaker, run }),
      aTool({ name: 'b', server: 's', breaker }),
      aTool({ name: 'c', breaker }),
    ]);
    await crib.execute('a', {});
    expect((await crib.execute('b', {})).error?.code).toBe('CIRCUIT_OPEN');
    expect((await crib.execute('c', {})).success).toBe(true);
  });
});

describe('bulkheads', () => {
  const gauge = () => {
    const seen = { now: 0, most: 0 };
    const run = async () => {
      seen.most = Math.max(seen.most, ++seen.now);
      await new Promise((resolve) => setImmediate(resolve));
      seen.now--;
    };
    return { seen, run };
  };

  it('a tool runs at most as often at once as it declares; other calls wait, or are refused', async () => {
    const { seen, run } = gauge();
    const crib = await testCrib([aTool({ run, concurrency: { limit: 3, queue: 5 } })]);
    const results = await Promise.all(Array.from({ length: 10 }, () => crib.execute('echo', {})));
    expect(seen.most).toBe(3);
    expect(results.filter(({ success }) => success)).toHaveLength(8);
    expect(results.find(({ success }) => !success)?.error?.code).toBe('RATE_LIMITED');
  });

  it('a call that breaks on the way gives its place back', async () => {
    const store = createMemoryStore();
    let isDown = true;
    const intend: AuditLog['intend'] = (entries, claims) =>
      isDown ? Promise.reject(new Error('no store')) : store.audit.intend(entries, claims);
    const tool = aTool({ tier: 'write', concurrency: { limit: 1, queue: 0 } });
    const crib = await testCrib([tool], { store: { ...store, audit: { ...store.audit, intend } } });
    for (let i = 0; i < 3; i++) expect((await crib.execute('echo', {})).success).toBe(false);
    isDown = false;
    expect((await crib.execute('echo', {})).error).toBeUndefined();
  });

  it('maxConcurrentTools bounds all tools together, and calls made by tools cannot lock it up', async () => {
    const { seen, run } = gauge();
    const outer = aTool({
      name: 'outer',
      run: ((_input: unknown, context: { call(tool: string, input: unknown): Promise<unknown> }) =>
        context.call('echo', {})) as never,
    });
    const crib = await testCrib([outer, aTool({ run })], {
      config: { execution: { maxConcurrentTools: 2 } },
    });
    const results = await Promise.all(Array.from({ length: 12 }, () => crib.execute('outer', {})));
    expect(results.every(({ success }) => success)).toBe(true);
    expect(seen.most).toBe(2);
  });
});

describe('recovery strategies', () => {
  const failing = () => {
    throw new ToolFailure('SERVER_ERROR', 'down');
  };

  it('fallback: another tool answers, and the result says so', async () => {
    const crib = await testCrib([
      aTool({ run: failing, fallback: 'spare' }),
      aTool({ name: 'spare', run: () => 'spare data' }),
    ]);
    const result = await crib.execute('echo', {});
    expect([result.success, result.data, result.metadata.toolName]).toEqual([
      true,
      'spare data',
      'spare',
    ]);
    expect(result.warnings?.[0]).toContain('SERVER_ERROR');
  });

  it('fallback: none is tried where the effect may have happened', async () => {
    let ran = 0;
    const crib = await testCrib([
      aTool({ tier: 'write', run: failing, fallback: 'spare' }),
      aTool({ name: 'spare', run: () => ++ran }),
    ]);
    const result = await crib.execute('echo', {});
    expect([result.error?.code, ran]).toEqual(['SERVER_ERROR', 0]);
    expect(result.warnings?.[0]).toContain('may have taken effect');
  });

  it('retry: uses the default policy when the tool declares none', async () => {
    const { run } = flaky(1);
    const crib = await testCrib([aTool({ run, recovery: { strategy: 'retry' } })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(SECOND);
    expect((await call).metadata.attempts).toBe(2);
  });

  it('skip: the call succeeds without data and is marked degraded', async () => {
    const crib = await testCrib([aTool({ run: failing, recovery: { strategy: 'skip' } })]);
    const result = await crib.execute('echo', {});
    expect([result.success, result.data, result.metadata.degraded]).toEqual([true, null, true]);
  });

  it('abort: the call fails with the error of the tool', async () => {
    const crib = await testCrib([aTool({ run: failing, recovery: { strategy: 'abort' } })]);
    expect((await crib.execute('echo', {})).error?.code).toBe('SERVER_ERROR');
  });

  it('manual: parks the call for a person', async () => {
    const crib = await testCrib([aTool({ run: failing, recovery: { strategy: 'manual' } })]);
    const result = await crib.execute('echo', {});
    expect(result.status).toBe('pending');
    expect((await crib.approvals.list()).map(({ id }) => id)).toEqual([
      result.approval?.approvalId,
    ]);
  });
});

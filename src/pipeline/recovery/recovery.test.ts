import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { toolError } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { newCall } from '../new-call.ts';
import { CircuitBreaker } from './breaker.ts';
import { Bulkhead } from './bulkhead.ts';
import { mayRetry } from './may-retry.ts';
import { backoffDelay } from './try-again.ts';

const call = () =>
  newCall(
    { toolName: 't', rawInput: {}, as: undefined, parent: undefined },
    { runtime: fakeRuntime(), nextId: () => 'x' },
  );

describe('backoff', () => {
  const none = () => 0.5;
  it.each([
    [{ type: 'none' }, [0, 0, 0]],
    [{ type: 'fixed', delay: 200 }, [200, 200, 200]],
    [{ type: 'linear', baseDelay: 100, increment: 50 }, [100, 150, 200]],
    [{ type: 'exponential', baseDelay: 100, maxDelay: 350, multiplier: 2 }, [100, 200, 350]],
  ] as const)('waits between tries as %o says', (backoff, expected) => {
    expect([1, 2, 3].map((attempt) => backoffDelay(backoff, attempt, none))).toEqual(expected);
  });

  it('jitter spreads around its base and never goes below zero', () => {
    const backoff = { type: 'jittered', base: { type: 'fixed', delay: 100 }, jitter: 0.5 } as const;
    expect(backoffDelay(backoff, 1, () => 0)).toBe(50);
    expect(backoffDelay(backoff, 1, () => 0.5)).toBe(100);
    expect(backoffDelay(backoff, 1, () => 1)).toBe(150);
    const wild = { ...backoff, jitter: 3 };
    expect(backoffDelay(wild, 1, () => 0)).toBe(0);
  });
});

describe('circuit breaker', () => {
  it('opens when too large a share of a window failed, though never two in a row', () => {
    const errorRate = { max: 0.5, windowMs: 1000, minCalls: 6 };
    const breaker = new CircuitBreaker({ failures: 3, restMs: 100, errorRate });
    for (const at of [0, 200]) {
      expect(breaker.failed(at)).toBe(false);
      breaker.succeeded(at);
    }
    breaker.succeeded(300);
    expect(breaker.failed(400)).toBe(true);
    expect(breaker.state(499)).toBe('open');
    expect(breaker.admits(500)).toBe(true);
    expect(breaker.succeeded(500)).toBe(true);
    // What was counted before the rest says nothing about the tool as it is now.
    expect(breaker.failed(600)).toBe(false);
  });

  it('forgets failures that are older than the window, and waits for enough calls', () => {
    const errorRate = { max: 0.5, windowMs: 1000, minCalls: 4 };
    const breaker = new CircuitBreaker({ failures: 9, restMs: 100, errorRate });
    expect([0, 1, 2].map((at) => breaker.failed(at))).toEqual([false, false, false]);
    expect(breaker.failed(1_100)).toBe(false);
    breaker.reset();
    expect(breaker.state(1_100)).toBe('closed');
    const usual = new CircuitBreaker({
      failures: 99,
      restMs: 1,
      errorRate: { max: 1, windowMs: 1 },
    });
    expect(Array.from({ length: 10 }, () => usual.failed(5)).indexOf(true)).toBe(9);
  });

  it('opens after so many failures in a row, rests, probes with one call, and closes', () => {
    const breaker = new CircuitBreaker({ failures: 3, restMs: 1000 });
    expect([breaker.failed(0), breaker.failed(0)]).toEqual([false, false]);
    expect(breaker.admits(0)).toBe(true);
    expect(breaker.failed(0)).toBe(true);
    expect(breaker.state(500)).toBe('open');
    expect(breaker.admits(500)).toBe(false);
    expect(breaker.restMs(400)).toBe(600);
    expect(breaker.state(1000)).toBe('half-open');
    expect(breaker.admits(1000)).toBe(true);
    expect(breaker.admits(1000)).toBe(false);
    expect(breaker.succeeded(0)).toBe(true);
    expect(breaker.untroubled).toBe(true);
  });

  it('a failed probe opens it again at once', () => {
    const breaker = new CircuitBreaker({ failures: 1, restMs: 100 });
    breaker.failed(0);
    expect(breaker.admits(100)).toBe(true);
    expect(breaker.failed(100)).toBe(true);
    expect(breaker.admits(150)).toBe(false);
    expect(breaker.admits(200)).toBe(true);
  });

  it('a success in between starts the count anew', () => {
    const breaker = new CircuitBreaker({ failures: 2, restMs: 100 });
    breaker.failed(0);
    breaker.succeeded(0);
    expect(breaker.failed(0)).toBe(false);
  });

  it('an abstaining probe frees the place for the next', () => {
    const breaker = new CircuitBreaker({ failures: 1, restMs: 100 });
    breaker.failed(0);
    expect(breaker.admits(100)).toBe(true);
    breaker.abstained();
    expect(breaker.admits(100)).toBe(true);
  });
});

describe('bulkhead', () => {
  it('lets so many in, queues so many, refuses the rest, first come first served', async () => {
    const bulkhead = new Bulkhead(2, 1);
    expect(await bulkhead.enter(call().control)).toBe('entered');
    expect(await bulkhead.enter(call().control)).toBe('entered');
    const third = bulkhead.enter(call().control);
    expect(await bulkhead.enter(call().control)).toBe('full');
    expect([bulkhead.running, bulkhead.waiting]).toEqual([2, 1]);
    bulkhead.leave();
    expect(await third).toBe('entered');
    expect([bulkhead.running, bulkhead.waiting]).toEqual([2, 0]);
  });

  it('a call that gives up leaves the line and takes no place', async () => {
    const bulkhead = new Bulkhead(1, 5);
    bulkhead.tryEnter();
    const { control } = call();
    const waiting = bulkhead.enter(control);
    control.abort('CANCELLED');
    expect(await waiting).toBe('aborted');
    expect(bulkhead.waiting).toBe(0);
    bulkhead.leave();
    expect(bulkhead.running).toBe(0);
  });
});

describe('may retry', () => {
  const tool = (extra: Partial<Tool> = {}): Tool =>
    ({
      ...defineTool({ name: 't', description: '', tier: 'write', input: {}, run: () => 1 }),
      ...extra,
    }) as Tool;
  const notes = (effectPossible: boolean) => ({ ...call().notes, effectPossible });
  const network = toolError('NETWORK');

  it('follows the table unless the policy lists codes', () => {
    const policy = { maxRetries: 2, backoff: { type: 'none' } } as const;
    const at = { tool: tool(), notes: notes(false), attempt: 1 };
    expect(mayRetry(policy, network, at)).toBe(true);
    expect(mayRetry(policy, toolError('VALIDATION_ERROR'), at)).toBe(false);
    expect(mayRetry({ ...policy, retryableErrors: ['CONFLICT'] }, network, at)).toBe(false);
    expect(mayRetry({ ...policy, nonRetryableErrors: ['NETWORK'] }, network, at)).toBe(false);
    expect(mayRetry({ ...policy, shouldRetry: () => false }, network, at)).toBe(false);
  });

  it('stops at the limit', () => {
    const at = (attempt: number) => ({ tool: tool(), notes: notes(false), attempt });
    expect(mayRetry(RetryPolicies.QUICK, network, at(3))).toBe(true);
    expect(mayRetry(RetryPolicies.QUICK, network, at(4))).toBe(false);
    expect(mayRetry(RetryPolicies.NONE, network, at(1))).toBe(false);
  });

  it('never repeats an effect that may have happened, unless the tool is idempotent', () => {
    const at = { notes: notes(true), attempt: 1 };
    expect(mayRetry(RetryPolicies.STANDARD, network, { ...at, tool: tool() })).toBe(false);
    expect(
      mayRetry(RetryPolicies.STANDARD, network, { ...at, tool: tool({ idempotent: true }) }),
    ).toBe(true);
  });
});

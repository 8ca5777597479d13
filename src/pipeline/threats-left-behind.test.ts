/** The threat: a request, a question or a program that its tool does not wait for outlives the call or the try. */
import { afterEach, describe, expect, it } from 'vitest';
import { openSite } from '../../test/fixtures/local-site.ts';
import { aTool, type TestCrib, testCrib } from '../../test/fixtures/test-crib.ts';
import { ALLOW_ALL } from '../../test/fixtures/vendors/vendor-crib.ts';
import type { ToolContext } from '../contract/context.ts';
import type { Elicitation } from '../contract/elicitation.ts';
import type { ToolDefinition } from '../contract/tool.ts';

type Run = (context: ToolContext) => unknown;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const HOST = '127.0.0.1';
const RETRIES = {
  retry: { maxRetries: 1, backoff: { type: 'none' }, retryableErrors: ['EXECUTION_FAILED'] },
} as const;

const cribOf = async (run: Run, more: Partial<ToolDefinition<never, unknown>> = {}) => {
  const needs = { hosts: [HOST], commands: ['sleep *'] };
  const tool = aTool({ needs, run: ((_: unknown, context: ToolContext) => run(context)) as never });
  const crib = await testCrib([{ ...tool, ...more }], {
    policy: ALLOW_ALL,
    config: { egress: { allowPrivate: [HOST] }, commands: { allow: ['sleep *'] } },
  });
  open.push(crib);
  return crib;
};

const promised = () => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
};

/** A site that never answers, and says when a request has come and when it is gone. */
const silentSite = async () => {
  const come = promised();
  const gone = promised();
  const site = await openSite((_request, response) => {
    response.on('close', gone.resolve);
    come.resolve();
  });
  open.push(site);
  return { url: `http://${HOST}:${site.port}`, come: come.promise, gone: gone.promise };
};

/** A person who never answers, and the signals that were handed over. */
const silentPerson = () => {
  const signals: AbortSignal[] = [];
  const ask = (_question: unknown, signal: AbortSignal): Promise<never> => {
    signals.push(signal);
    return new Promise(() => undefined);
  };
  return { signals, as: { elicit: ask, elicitUrl: ask, sample: ask } };
};
const QUESTION: Elicitation = { server: 's', message: 'Sure?', schema: {} };

describe('threat: work that a call leaves behind', () => {
  it('hostile: a request that nobody waits for ends with the call', async () => {
    const { url, come, gone } = await silentSite();
    const crib = await cribOf(async ({ fetch }) => {
      void fetch(url);
      await come;
    });
    expect((await crib.execute('echo', {})).success).toBe(true);
    await gone;
  });

  it('hostile: a question that nobody waits for ends with the call, and no timer stays', async () => {
    const { signals, as } = silentPerson();
    const crib = await cribOf(({ elicit, elicitUrl, sample }) => {
      void elicit?.(QUESTION);
      void elicitUrl?.(QUESTION as never);
      void sample?.({} as never);
    });
    const before = crib.runtime.pendingTimers;
    expect((await crib.execute('echo', {}, as)).success).toBe(true);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    expect(crib.runtime.pendingTimers).toBeLessThanOrEqual(before + 1);
  });

  it('hostile: questions that it asks later are refused, and nobody is asked', async () => {
    const { signals, as } = silentPerson();
    let context: ToolContext | undefined;
    const crib = await cribOf((its) => {
      context = its;
    });
    await crib.execute('echo', {}, as);
    await expect(context?.elicit?.(QUESTION)).rejects.toThrow('The call is over');
    await expect(context?.elicitUrl?.(QUESTION as never)).rejects.toThrow('The call is over');
    await expect(context?.sample?.({} as never)).rejects.toThrow('The call is over');
    expect(signals).toEqual([]);
  });

  it('benign: one that asks twice while it runs keeps the answers', async () => {
    const elicit = async () => ({ action: 'accept' as const });
    const crib = await cribOf(async (context) => [
      await context.elicit?.(QUESTION),
      await context.elicit?.(QUESTION),
    ]);
    const { data } = await crib.execute('echo', {}, { elicit });
    expect(data).toEqual([{ action: 'accept' }, { action: 'accept' }]);
  });
});

describe('threat: calls that are made after the tool has returned', () => {
  /** The effect makes a call that waits for a person, who never answers. */
  const leavesCall = (calls: Promise<unknown>[]) => {
    let call: ToolContext['call'] | undefined;
    const value = (): number => {
      if (call) calls.push(call('asks', {}));
      return 1;
    };
    const effect = { type: 'state_change', description: 'counts', reversible: true };
    const effects = [{ ...effect, state: 'n', change: 'set', value }] as never;
    const run = ((_input: unknown, context: ToolContext) => {
      ({ call } = context);
      return 'done';
    }) as never;
    return aTool({
      name: 'leaves',
      tier: 'write',
      timeoutMs: 1_000,
      callsTools: true,
      effects,
      run,
    });
  };

  it('hostile: the outer call waits no longer than its tool may take, whatever a person does', async () => {
    const calls: Promise<unknown>[] = [];
    const asks = aTool({ name: 'asks', tier: 'write' });
    const rules = [{ name: 'person', effect: 'ask' as const, tools: ['asks'] }, ...ALLOW_ALL.rules];
    const crib = await testCrib([leavesCall(calls), asks], {
      policy: { version: 1, rules },
      approver: () => new Promise<never>(() => undefined),
    });
    open.push(crib);
    const result = crib.execute('leaves', {});
    await expect.poll(() => calls.length).toBe(1);
    await crib.runtime.advance(1_100);
    expect(await result).toMatchObject({ success: true, data: 'done' });
    expect(await calls[0]).toMatchObject({ status: 'cancelled' });
  });
});

describe('threat: work that a failed try leaves behind', () => {
  /** Fails at once, and waits in the next try for what the first one left. */
  const secondTryMeets = (leave: (context: ToolContext) => Promise<unknown>): Run => {
    let left: Promise<unknown> | undefined;
    return async (context) => {
      if (!left) {
        left = leave(context);
        throw new Error('other half');
      }
      return left.then(
        () => 'went on',
        (error: Error) => error.name,
      );
    };
  };

  const expectEnded = async (crib: TestCrib): Promise<void> => {
    const { data, metadata } = await crib.execute('echo', {});
    expect(metadata.attempts).toBe(2);
    expect(data).not.toBe('went on');
  };

  it('hostile: a request of the first try is over when the second one starts', async () => {
    const { url } = await silentSite();
    await expectEnded(
      await cribOf(
        secondTryMeets(({ fetch }) => fetch(url)),
        RETRIES,
      ),
    );
  });

  it('hostile: a program of the first try is over when the second one starts', async () => {
    const run = secondTryMeets(({ exec }) => exec('sleep', ['60']));
    await expectEnded(await cribOf(run, RETRIES));
  });

  it('benign: the second try makes requests of its own', async () => {
    const site = await openSite();
    open.push(site);
    let tries = 0;
    const crib = await cribOf(async ({ fetch }) => {
      const response = await fetch(`http://${HOST}:${site.port}`);
      tries += 1;
      if (tries === 1) throw new Error('once');
      return response.text();
    }, RETRIES);
    expect((await crib.execute('echo', {})).data).toBe('hello');
  });
});

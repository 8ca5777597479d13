import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Policy } from '../../contract/policy.ts';

/** Says no to a session that has seen untrusted data. */
const flowPolicy: Policy = {
  version: '1',
  readsFlow: true,
  judge: ({ flow }) => ({
    effect: flow.untrusted ? 'deny' : 'allow',
    rule: 'flow',
    reason: 'flow',
  }),
};

describe('govern result', () => {
  it('threat: timers fire while a result of 12 MB is searched for secrets', async () => {
    const line = 'An ordinary line with name: value, and more words (see docs/a.md).\n';
    const text = `${line.repeat(180_000)}ghp_${'a1B2'.repeat(9)}`;
    const crib = await testCrib([aTool({ run: () => text })], {
      config: { filtering: { maxResultBytes: 100_000_000 } },
    });
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const result = await crib.execute('echo', {});
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(20);
    expect(String(result.data).slice(-20)).toContain('[REDACTED]');
  });

  it('turns a result that is too large into a handle that can be paged, by its owner alone', async () => {
    const text = 'abcdefghij'.repeat(300);
    const crib = await testCrib([aTool({ run: () => ({ text }) })], {
      config: { filtering: { maxResultBytes: 1000 } },
    });
    const result = await crib.execute('echo', {}, { userId: 'ada' });
    const { handle, bytes, preview } = result.data as {
      handle: string;
      bytes: number;
      preview: string;
    };
    const whole = JSON.stringify({ text });
    expect([bytes, preview]).toEqual([whole.length, whole.slice(0, 2000)]);
    expect(result.warnings?.[0]).toContain(handle);
    const page = await crib.results.read(handle, { offset: 5, limit: 10 }, { userId: 'ada' });
    expect(page).toEqual({ text: whole.slice(5, 15), total: whole.length });
    expect(await crib.results.read(handle, {}, { userId: 'eve' })).toBeUndefined();
    await crib.executions.cleanup(result.metadata.executionId);
    expect(await crib.results.read(handle, {}, { userId: 'ada' })).toBeUndefined();
  });

  it('cuts for a model only when a model reads it', async () => {
    const crib = await testCrib([
      aTool({ run: () => ({ text: 'x'.repeat(20_000), list: new Array(500).fill(1) }) }),
    ]);
    const whole = (await crib.execute('echo', {})).data as { text: string; list: number[] };
    expect([whole.text.length, whole.list.length]).toEqual([20_000, 500]);
    const cut = await crib.execute('echo', {}, { audience: 'model' });
    const data = cut.data as { text: string; list: number[] };
    expect(data.text.length).toBeLessThan(10_100);
    expect(data.list).toHaveLength(100);
    const handle = cut.whole?.handle ?? '';
    expect(cut.warnings).toHaveLength(3);
    expect(cut.warnings?.filter((each) => each.startsWith('Shortened'))).toHaveLength(2);
    expect(cut.warnings?.[2]).toContain(handle);
    const page = await crib.results.read(handle, { limit: 100_000 });
    expect(JSON.parse(page?.text ?? '')).toEqual(whole);
    expect(cut.whole?.bytes).toBe(page?.total);
  });

  it('keeps nothing of a result that a model got whole', async () => {
    const crib = await testCrib([aTool({ run: () => ({ text: 'short' }) })]);
    const result = await crib.execute('echo', {}, { audience: 'model' });
    expect([result.data, result.whole, result.warnings]).toEqual([
      { text: 'short' },
      undefined,
      undefined,
    ]);
  });

  it('keeps the same text once for a session, and again for another or when it is gone', async () => {
    const crib = await testCrib([aTool({ run: () => 'x'.repeat(20_000) })]);
    const handleIn = async (sessionId: string, userId = 'ada') => {
      const as = { userId, sessionId, audience: 'model' } as const;
      return crib.execute('echo', {}, as);
    };
    const first = await handleIn('one');
    expect((await handleIn('one')).whole).toEqual(first.whole);
    expect((await handleIn('two')).whole).not.toEqual(first.whole);
    expect((await handleIn('one', 'eve')).whole).not.toEqual(first.whole);
    await crib.executions.cleanup(first.metadata.executionId);
    const again = await handleIn('one');
    expect(again.whole).not.toEqual(first.whole);
    const page = await crib.results.read(again.whole?.handle ?? '', {}, { userId: 'ada' });
    expect(page?.total).toBe(20_000);
  });

  it('data flow: a tool that hands on what others returned carries their labels', async () => {
    const secretly = aTool({ name: 'secretly', labels: { sensitivity: 'secret' } });
    const outside = aTool({ name: 'outside', labels: { trust: 'untrusted' } });
    const both = aTool({
      name: 'both',
      run: async (_input: unknown, context: ToolContext) => [
        await context.call('secretly', {}),
        await context.call('outside', {}),
      ],
    } as never);
    const alone = aTool({ name: 'alone' });
    const crib = await testCrib([secretly, outside, both, alone]);
    const labels = async (tool: string) => (await crib.execute(tool, {})).metadata.labels;
    expect(await labels('both')).toEqual({ trust: 'untrusted', sensitivity: 'secret' });
    expect(await labels('alone')).toEqual({ trust: 'trusted', sensitivity: 'public' });
  });

  it('data flow: reading a stored result taints the session that reads it', async () => {
    const crib = await testCrib(
      [aTool({ labels: { trust: 'untrusted' }, run: () => 'x'.repeat(5_000) })],
      { config: { filtering: { maxResultBytes: 1000 } }, policy: flowPolicy },
    );
    const { data } = await crib.execute('echo', {}, { userId: 'ada', sessionId: 'one' });
    const { handle } = data as { handle: string };
    const other = { userId: 'ada', sessionId: 'two' };
    const verdict = async () => (await crib.explain('echo', {}, other)).verdict.effect;
    expect(await verdict()).toBe('allow');
    await crib.results.read(handle, {}, other);
    expect(await verdict()).toBe('deny');
  });

  it('refuses circular results', async () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    const crib = await testCrib([aTool({ run: () => circle })]);
    expect((await crib.execute('echo', {})).error?.code).toBe('OUTPUT_INVALID');
  });

  it('redacts secrets in data, warnings and error messages', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const run = (input: { fail?: boolean }, context: { warn(text: string): void }) => {
      context.warn(`careful with ${secret}`);
      if (input.fail) throw new Error(`bad credentials ${secret}`);
      return { deep: [{ secret }] };
    };
    const crib = await testCrib([aTool({ run: run as never })]);
    const good = JSON.stringify(await crib.execute('echo', {}));
    const bad = JSON.stringify(await crib.execute('echo', { fail: true }));
    expect(good + bad).not.toContain(secret);
    expect(good).toContain('[REDACTED]');
  });
});

import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';

describe('govern result', () => {
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
    const page = await crib.readResult(handle, { offset: 5, limit: 10 }, { userId: 'ada' });
    expect(page).toEqual({ text: whole.slice(5, 15), total: whole.length });
    expect(await crib.readResult(handle, {}, { userId: 'eve' })).toBeUndefined();
    await crib.cleanup(result.metadata.executionId);
    expect(await crib.readResult(handle, {}, { userId: 'ada' })).toBeUndefined();
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
    expect(cut.warnings).toHaveLength(2);
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

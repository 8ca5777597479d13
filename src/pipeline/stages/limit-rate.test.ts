import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';

describe('limit rate', () => {
  it('admits exactly the limit under concurrency, per caller, and says when to come back', async () => {
    let ran = 0;
    const crib = await testCrib([aTool({ rateLimit: { maxPerHour: 5 }, run: () => ++ran })]);
    const results = await Promise.all(Array.from({ length: 20 }, () => crib.execute('echo', {})));
    expect(results.filter(({ success }) => success)).toHaveLength(5);
    const refused = results.find(({ success }) => !success);
    expect(refused?.error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(refused?.error?.retryAfterMs).toBe(60 * 60 * 1000);
    expect((await crib.execute('echo', {}, { userId: 'other' })).success).toBe(true);
    expect(ran).toBe(6);
    await crib.runtime.advance(60 * 60 * 1000);
    expect((await crib.execute('echo', {})).success).toBe(true);
  });

  it('keeps the day limit too, and the configuration may set it', async () => {
    const config = { tools: { echo: { rateLimit: { maxPerDay: 1 } } } };
    const crib = await testCrib([aTool()], { config });
    await crib.execute('echo', {});
    await crib.runtime.advance(2 * 60 * 60 * 1000);
    expect((await crib.execute('echo', {})).error?.code).toBe('RATE_LIMITED');
  });

  it('a dry run looks, but does not count', async () => {
    const crib = await testCrib([aTool({ rateLimit: { maxPerHour: 1 } })]);
    await crib.execute('echo', {}, { dryRun: true });
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect((await crib.execute('echo', {}, { dryRun: true })).error?.code).toBe('RATE_LIMITED');
  });
});

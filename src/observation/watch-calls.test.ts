import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';

describe('crib.metrics.watch', () => {
  it('counts the calls of one tool from now on, until it is stopped', async () => {
    const crib = await testCrib([aTool(), aTool({ name: 'other' })]);
    await crib.execute('echo', {});
    const watch = crib.metrics.watch('echo');
    const all = crib.metrics.watch();
    await crib.execute('echo', {});
    await crib.execute('echo', 'no object');
    await crib.execute('other', {});
    expect(watch.figures()).toMatchObject({ calls: 2, byCode: { VALIDATION_ERROR: 1 } });
    const last = watch.stop();
    await crib.execute('echo', {});
    expect([watch.stop(), watch.figures()]).toEqual([last, last]);
    expect([watch.tool, last.calls, all.stop().calls]).toEqual(['echo', 2, 4]);
    expect(watch.id).not.toBe(all.id);
  });

  it('threat: a name that is no text is refused', async () => {
    const crib = await testCrib([aTool()]);
    expect(() => crib.metrics.watch(7 as never)).toThrow(/tool/);
  });
});

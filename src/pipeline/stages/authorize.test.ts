import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { Policy, Verdict } from '../../contract/policy.ts';

const policyOf = (judge: () => unknown): Policy => ({
  version: '1',
  judge: judge as () => Verdict,
});

describe('authorize', () => {
  it.each([
    [
      'a throw',
      () => {
        throw new Error('x');
      },
    ],
    ['silence', () => undefined],
    ['an unknown answer', () => ({ effect: 'maybe', rule: 'r', reason: 'r' })],
    ['deny', () => ({ effect: 'deny', rule: 'r', reason: 'Because.' })],
  ])('%s means no', async (_name, judge) => {
    let ran = 0;
    const crib = await testCrib([aTool({ run: () => ++ran })], { policy: policyOf(judge) });
    expect((await crib.execute('echo', {})).error?.code).toBe('PERMISSION_DENIED');
    expect(ran).toBe(0);
  });

  it('judges what was parsed, never what was sent', async () => {
    const seen: unknown[] = [];
    const policy: Policy = {
      version: '1',
      judge: ({ input }) => {
        seen.push(input);
        return { effect: 'allow', rule: 'r', reason: '' };
      },
    };
    const input = { type: 'object', properties: { safe: { default: true } } };
    const crib = await testCrib([aTool({ input })], { policy });
    await crib.execute('echo', {});
    expect(seen).toEqual([{ safe: true }]);
  });

  it('writes the rule that let the call pass into the trail', async () => {
    const crib = await testCrib([aTool()]);
    await crib.execute('echo', {});
    const [row] = await (await crib.store()).audit.query();
    expect(row?.detail.rule).toBe('tier-1-read');
  });

  it('a caller without the permission is refused', async () => {
    const crib = await testCrib([aTool({ permissions: ['tool:echo'] })]);
    expect((await crib.execute('echo', {}, { userId: 'eve', permissions: [] })).status).toBe(
      'denied',
    );
    expect(
      (await crib.execute('echo', {}, { userId: 'ada', permissions: ['tool:echo'] })).success,
    ).toBe(true);
  });
});

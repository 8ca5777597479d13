/** Threat: an effect of a run or a job is repeated because its key was forgotten, or a caller keeps its own. */
import { describe, expect, it } from 'vitest';
import { laterClock } from '../../test/fixtures/later-clock.ts';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { CallAs } from '../contract/call-options.ts';
import type { ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { DurableWork } from './durable-work.ts';

const counted = () => {
  const seen = { runs: 0 };
  const tool = aTool({ tier: 'write', run: () => ++seen.runs });
  return { seen, tool };
};

const as = (): CallAs => ({ idempotencyKey: 'k', durable: new DurableWork('flow:1') });

describe('the key of a call that a run or a job makes', () => {
  it('still answers after a year, and is forgotten in the end', async () => {
    const { seen, tool } = counted();
    const { runtime, advance } = laterClock();
    const crib = await testCrib([tool], { runtime });
    await crib.execute('echo', {}, as());
    advance(366 * DAY_MS);
    expect((await crib.execute('echo', {}, as())).data).toBe(1);
    expect(seen.runs).toBe(1);
    advance(40 * DAY_MS);
    expect((await crib.execute('echo', {}, as())).data).toBe(2);
  });

  it('still answers after a year where another tool made the call', async () => {
    const { seen, tool } = counted();
    let tries = 0;
    const work = async (_input: unknown, { call }: ToolContext) => {
      const { data } = await call('echo', {}, { callKey: 'part' });
      tries += 1;
      if (tries === 1) throw new ToolFailure('NETWORK', 'gone');
      return data;
    };
    const more = { tier: 'write', idempotent: true, callsTools: true } as const;
    const outer = aTool({ name: 'outer', ...more, run: work as never });
    const { runtime, advance } = laterClock();
    const crib = await testCrib([tool, outer], { runtime });
    expect((await crib.execute('outer', {}, as())).error?.code).toBe('NETWORK');
    advance(366 * DAY_MS);
    expect((await crib.execute('outer', {}, as())).data).toBe(1);
    expect(seen.runs).toBe(1);
  });

  it.each([
    ['an object of the same shape', { name: 'flow:1' }],
    ['an object that inherits from one', Object.create(new DurableWork('flow:1'))],
    ['what JSON makes of one', JSON.parse(JSON.stringify(new DurableWork('flow:1')))],
    ['a number of milliseconds', 1e12],
  ])('is not one that a caller makes up with %s', async (_what, durable) => {
    const { seen, tool } = counted();
    const crib = await testCrib([tool]);
    const { error } = await crib.execute('echo', {}, { idempotencyKey: 'k', durable } as CallAs);
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(seen.runs).toBe(0);
  });
});

import { expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { forgetOld } from './forget-old.ts';

const HOUR = 3_600_000;

it('forgets old entries once an hour, also after the clock was set back', () => {
  let now = 100 * HOUR;
  const forgotten: number[] = [];
  const expire = async (before: number) => forgotten.push(before);
  const runtime = { ...fakeRuntime(), now: () => now };
  const added = forgetOld({ runtime, keepMs: HOUR, what: 'results', expire });
  for (const at of [100, 100.5, 50, 50.5]) {
    now = at * HOUR;
    added();
  }
  expect(forgotten).toEqual([99 * HOUR, 49 * HOUR]);
});

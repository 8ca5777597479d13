/** Kept results are forgotten after their days, by whoever keeps the next one. */
import { expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { Results } from '../../contract/store.ts';
import { memoryResults } from '../../stores/memory/memory-results.ts';
import { newCall } from '../new-call.ts';
import { KeptResults } from './kept-results.ts';

const HOUR_MS = 3_600_000;
const LABELS = { trust: 'trusted', sensitivity: 'public' } as const;

const open = (results: Results = memoryResults()) => {
  const runtime = fakeRuntime();
  let handles = 0;
  const kept = new KeptResults({
    results,
    runtime,
    limits: { keepResultsDays: 2 },
    newHandle: () => `h${++handles}`,
  });
  const call = newCall(
    { toolName: 't', rawInput: {}, as: undefined, parent: undefined },
    { runtime, nextId: () => 'x' },
  );
  const keep = async (text: string) => (await kept.keep(call, text, LABELS)).handle;
  const textOf = async (handle: string) =>
    (await results.read(handle, call.caller.userId, { offset: 0, limit: 99 }))?.text;
  return { runtime, keep, textOf };
};

it('stored results are deleted once their days are over, and only then', async () => {
  const { runtime, keep, textOf } = open();
  const first = await keep('first');
  await runtime.advance(47 * HOUR_MS);
  await keep('second');
  expect(await textOf(first)).toBe('first');
  await runtime.advance(2 * HOUR_MS);
  const third = await keep('third');
  expect(await textOf(first)).toBeUndefined();
  expect(await textOf(third)).toBe('third');
});

it('stored results are searched for old ones at most once an hour', async () => {
  const results = memoryResults();
  let looks = 0;
  const { runtime, keep } = open({
    ...results,
    expire: (before) => {
      looks += 1;
      return results.expire(before);
    },
  });
  for (const text of ['a', 'b', 'c']) await keep(text);
  expect(looks).toBe(1);
  await runtime.advance(HOUR_MS);
  await keep('d');
  expect(looks).toBe(2);
});

it('a result is stored even when old ones cannot be deleted', async () => {
  const { keep, textOf } = open({
    ...memoryResults(),
    expire: () => Promise.reject(new Error('the disk is full')),
  });
  expect(await textOf(await keep('kept'))).toBe('kept');
});

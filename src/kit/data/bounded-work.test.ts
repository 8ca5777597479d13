import { describe, expect, it } from 'vitest';
import { createOneAtATime, inParallel } from './bounded-work.ts';

describe('work in parallel', () => {
  it('keeps the order and never exceeds the limit', async () => {
    let running = 0;
    let most = 0;
    const answers = await inParallel([5, 4, 3, 2, 1, 0], 2, async (thing) => {
      running += 1;
      most = Math.max(most, running);
      for (let turn = 0; turn < thing; turn += 1) await Promise.resolve();
      running -= 1;
      return thing * 10;
    });
    expect(answers).toEqual([50, 40, 30, 20, 10, 0]);
    expect(most).toBe(2);
  });

  it('of no items returns no results', async () => {
    expect(await inParallel([], 8, async () => 1)).toEqual([]);
  });
});

it('oneAtATime runs work on one key in order, also after a failure, and other keys at once', async () => {
  const oneAtATime = createOneAtATime();
  const order: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = oneAtATime('k', async () => {
    await gate;
    order.push('first');
    throw new Error('first fails');
  });
  const second = oneAtATime('k', async () => void order.push('second'));
  await oneAtATime('other', async () => void order.push('other'));
  open();
  await expect(first).rejects.toThrow('first fails');
  await second;
  expect(order).toEqual(['other', 'first', 'second']);
  expect(await oneAtATime('k', async () => 3)).toBe(3);
});

/** Work on one key queues; a failure lets the next one through; other keys do not wait. */
import { expect, it } from 'vitest';
import { createOneAtATime } from './path-guard.ts';

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

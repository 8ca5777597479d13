import { describe, expect, it } from 'vitest';
import { takeTurns } from './take-turns.ts';

const never = new AbortController().signal;

describe('turns', () => {
  it('run no more at once than allowed, in the order they came', async () => {
    const turns = takeTurns(2);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = async (n: number): Promise<number> => {
      order.push(n);
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, 5));
      running -= 1;
      return n;
    };
    const results = [1, 2, 3, 4, 5].map((n) => turns.run(() => work(n), never));
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
    expect(order).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it('go on after work that failed', async () => {
    const turns = takeTurns(1);
    const failed = turns.run(() => Promise.reject(new Error('no')), never);
    const next = turns.run(() => Promise.resolve('yes'), never);
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('forget work whose signal aborted before its turn', async () => {
    const turns = takeTurns(1);
    const gone = new AbortController();
    let end = (): void => undefined;
    const first = turns.run(() => new Promise<void>((done) => (end = done)), never);
    const waiting = turns.run(() => Promise.resolve('never'), gone.signal);
    const late = turns.run(() => Promise.resolve('never'), AbortSignal.abort(new Error('gone')));
    gone.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    await expect(late).rejects.toThrow('gone');
    end();
    await first;
    expect(await turns.run(() => Promise.resolve('free'), never)).toBe('free');
  });
});

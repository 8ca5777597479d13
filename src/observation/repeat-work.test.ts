import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { repeatWork } from './repeat-work.ts';

const failure = 'The work failed.';

describe('repeatWork', () => {
  it('does a round after each pause, the first one after a pause too', async () => {
    const runtime = fakeRuntime();
    let rounds = 0;
    const stop = repeatWork(async () => void rounds++, { runtime, failure, everyMs: 100 });
    await runtime.advance(99);
    expect(rounds).toBe(0);
    await runtime.advance(251);
    expect(rounds).toBe(3);
    await stop();
    await runtime.advance(1000);
    expect([rounds, runtime.pendingTimers]).toEqual([3, 0]);
  });

  it('begins no round while one is under way', async () => {
    const runtime = fakeRuntime();
    let begun = 0;
    let finish: () => void = () => undefined;
    const work = () => {
      begun += 1;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    };
    const stop = repeatWork(work, { runtime, failure, everyMs: 100 });
    await runtime.advance(1000);
    expect(begun).toBe(1);
    finish();
    await runtime.advance(100);
    expect(begun).toBe(2);
    finish();
    await stop();
  });

  it('logs a round that failed, and does the next one all the same', async () => {
    const runtime = fakeRuntime();
    let rounds = 0;
    const work = async () => {
      rounds += 1;
      if (rounds === 1) throw new Error('no disk');
    };
    const stop = repeatWork(work, { runtime, failure, everyMs: 100 });
    await runtime.advance(200);
    expect(rounds).toBe(2);
    expect(runtime.logged).toEqual([
      { level: 'warn', message: failure, fields: { error: expect.stringContaining('no disk') } },
    ]);
    await stop();
  });

  it('stops when the round under way is over, and tells that round of it', async () => {
    const runtime = fakeRuntime();
    const seen: boolean[] = [];
    let finish: () => void = () => undefined;
    const work = async (isStopped: () => boolean) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      seen.push(isStopped());
    };
    const stop = repeatWork(work, { runtime, failure, everyMs: 100 });
    await runtime.advance(100);
    let isOver = false;
    const stopping = stop().then(() => {
      isOver = true;
    });
    await runtime.advance(0);
    expect(isOver).toBe(false);
    finish();
    await stopping;
    expect([seen, runtime.pendingTimers]).toEqual([[true], 0]);
  });
});

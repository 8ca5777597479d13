import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { abortable, PendingStart } from './pending-start.ts';

describe('a pending start', () => {
  it('is shared by all who ask for it while it runs, and begins again afterwards', async () => {
    const pending = new PendingStart<number>();
    let starts = 0;
    const start = async (): Promise<number> => {
      starts += 1;
      return starts;
    };
    expect(await Promise.all([pending.run(start), pending.run(start)])).toEqual([1, 1]);
    expect(pending.isRunning).toBe(false);
    expect(await pending.run(start)).toBe(2);
  });

  it('rejects with the reason when it is stopped, and stop waits for its end', async () => {
    const pending = new PendingStart<never>();
    const started = pending.run((stopped) => stopped);
    const outcome = started.catch((reason: unknown) => reason);
    await pending.stop(new Error('closed'), { patienceMs: 0, runtime: fakeRuntime() });
    expect(pending.isRunning).toBe(false);
    expect(await outcome).toEqual(new Error('closed'));
  });

  it('is not stopped when it ends within the time that stop allows', async () => {
    const pending = new PendingStart<string>();
    const started = pending.run(() => Promise.resolve('ready'));
    await pending.stop(new Error('closed'), { patienceMs: 1000, runtime: fakeRuntime() });
    expect(await started).toBe('ready');
  });

  it('that fails is settled without an error', async () => {
    const pending = new PendingStart<never>();
    pending.run(() => Promise.reject(new Error('no'))).catch(() => undefined);
    await expect(pending.settled()).resolves.toBeUndefined();
  });
});

describe('abortable', () => {
  it('rejects when the signal aborts first, and leaves the work to its other users', async () => {
    const controller = new AbortController();
    const work = new Promise<number>((resolve) => setImmediate(() => resolve(1)));
    const waiting = abortable(work, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await work).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { Deadlines } from './deadlines.ts';

describe('deadlines', () => {
  it('fire in time and in order, each once', async () => {
    const runtime = fakeRuntime();
    const deadlines = new Deadlines(runtime);
    const fired: string[] = [];
    deadlines.abortAfter(100, { abort: () => fired.push('a') });
    await runtime.advance(50);
    deadlines.abortAfter(100, { abort: () => fired.push('b') });
    deadlines.abortAfter(10, { abort: () => fired.push('short') });
    await runtime.advance(49);
    expect(fired).toEqual(['short']);
    await runtime.advance(1);
    expect(fired).toEqual(['short', 'a']);
    await runtime.advance(1000);
    expect(fired).toEqual(['short', 'a', 'b']);
  });

  it('do not fire once cancelled, and cancelling twice is harmless', async () => {
    const runtime = fakeRuntime();
    const deadlines = new Deadlines(runtime);
    const fired: string[] = [];
    const first = deadlines.abortAfter(100, { abort: () => fired.push('first') });
    deadlines.abortAfter(100, { abort: () => fired.push('second') });
    first.cancel();
    first.cancel();
    await runtime.advance(200);
    expect(fired).toEqual(['second']);
  });

  it('need no timer for a call that ends within the turn', async () => {
    const runtime = fakeRuntime();
    const deadlines = new Deadlines(runtime);
    for (let i = 0; i < 100; i++) deadlines.abortAfter(100, { abort: () => undefined }).cancel();
    await runtime.advance(0);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('keep one timer for any number of calls with the same limit', async () => {
    const runtime = fakeRuntime();
    const deadlines = new Deadlines(runtime);
    const armed = Array.from({ length: 5000 }, () =>
      deadlines.abortAfter(100, { abort: () => undefined }),
    );
    await runtime.advance(0);
    expect(runtime.pendingTimers).toBe(1);
    for (const deadline of armed) deadline.cancel();
    deadlines.close();
    expect(runtime.pendingTimers).toBe(0);
  });

  it('survive thousands of cancelled entries before a live one', async () => {
    const runtime = fakeRuntime();
    const deadlines = new Deadlines(runtime);
    const fired: number[] = [];
    for (let i = 0; i < 3000; i++)
      deadlines.abortAfter(100, { abort: () => fired.push(i) }).cancel();
    deadlines.abortAfter(100, { abort: () => fired.push(-1) });
    for (let i = 0; i < 3000; i++)
      deadlines.abortAfter(100, { abort: () => fired.push(i) }).cancel();
    await runtime.advance(100);
    expect(fired).toEqual([-1]);
  });

  it('an abort may arm a new deadline of the same limit', async () => {
    const runtime = fakeRuntime();
    const deadlines = new Deadlines(runtime);
    let fired = 0;
    const again = (): void => {
      fired++;
      if (fired < 3) deadlines.abortAfter(100, { abort: again });
    };
    deadlines.abortAfter(100, { abort: again });
    await runtime.advance(350);
    expect(fired).toBe(3);
  });
});

import { describe, expect, it } from 'vitest';
import { Limiter } from './limiter.ts';
import { bytesOf, coresOf, narrowResources, ResourceGate } from './resource-gate.ts';

const CAPACITY = { memory: 100e6, disk: 1e9, cpu: 2 };

/** A task that runs until it is told to end. */
const task = (log: string[], name: string) => {
  let end = (): void => undefined;
  const run = () => {
    log.push(name);
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  };
  return { run, end: () => end() };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('sizes and shares', () => {
  it.each([
    ['50MB', 50e6],
    ['1.5 GiB', 1.5 * 2 ** 30],
    ['10kb', 10_000],
    ['7B', 7],
    ['lots', undefined],
    ['5XB', undefined],
  ])('%s is %s bytes', (text, bytes) => expect(bytesOf(text)).toBe(bytes));

  it.each([
    ['50%', 0.5],
    ['150%', 1.5],
    ['x', undefined],
  ])('%s is %s cores', (text, cores) => expect(coresOf(text)).toBe(cores));

  it('the smaller of two limits counts', () => {
    expect(narrowResources(CAPACITY, { memory: 5 })).toEqual({ ...CAPACITY, memory: 5 });
    expect(narrowResources(CAPACITY, { cpu: 50 })).toEqual(CAPACITY);
  });
});

describe('the gate', () => {
  it('runs at once only what fits, in the order in which it came', async () => {
    const gate = new ResourceGate(CAPACITY);
    const log: string[] = [];
    const [a, b, c] = [task(log, 'a'), task(log, 'b'), task(log, 'c')];
    void gate.run({ memory: '60MB' }, a.run);
    void gate.run({ memory: '60MB' }, b.run);
    void gate.run({ memory: '10MB' }, c.run);
    await settled();
    // The third would fit, but must not overtake: the second would wait for ever.
    expect(log).toEqual(['a']);
    a.end();
    await settled();
    expect(log).toEqual(['a', 'b', 'c']);
    b.end();
    c.end();
  });

  it('runs a task alone that needs more than there is', async () => {
    const gate = new ResourceGate(CAPACITY);
    const log: string[] = [];
    const [big, small] = [task(log, 'big'), task(log, 'small')];
    void gate.run({ cpu: '900%' }, big.run);
    void gate.run({ cpu: '1%' }, small.run);
    await settled();
    expect(log).toEqual(['big']);
    big.end();
    await settled();
    expect(log).toEqual(['big', 'small']);
    small.end();
  });

  it('frees what a failed task held, and asks an outer gate as well', async () => {
    const outer = new ResourceGate({ ...CAPACITY, memory: 10e6 });
    const gate = new ResourceGate(CAPACITY, outer);
    const log: string[] = [];
    await expect(
      gate.run({ memory: '80MB' }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    const [a, b] = [task(log, 'a'), task(log, 'b')];
    void gate.run({ memory: '8MB' }, a.run);
    void gate.run({ memory: '8MB' }, b.run);
    await settled();
    expect(log).toEqual(['a']);
    a.end();
    await settled();
    expect(log).toEqual(['a', 'b']);
    b.end();
  });
});

describe('a task that is cancelled while it waits at the gate', () => {
  it('is run at once without a place, and does not hold up those behind it', async () => {
    const outer = new ResourceGate(CAPACITY);
    const gate = new ResourceGate({ ...CAPACITY, memory: 200e6 }, outer);
    const log: string[] = [];
    const [a, b, c] = [task(log, 'a'), task(log, 'b'), task(log, 'c')];
    const controller = new AbortController();
    void gate.run({ memory: '60MB' }, a.run);
    const cancelled = gate.run({ memory: '60MB' }, b.run, controller.signal);
    void gate.run({ memory: '10MB' }, c.run);
    await settled();
    expect(log).toEqual(['a']);
    controller.abort();
    await settled();
    expect(log.toSorted()).toEqual(['a', 'b', 'c']);
    expect(outer.tasks).toEqual({ running: 2, waiting: 0 });
    for (const each of [a, b, c]) each.end();
    await cancelled;
    await settled();
    expect([gate.tasks, outer.tasks, outer.used.memory]).toEqual([
      ...[{ running: 0, waiting: 0 }, { running: 0, waiting: 0 }, 0],
    ]);
  });

  it('does not wait where it is cancelled already', async () => {
    const gate = new ResourceGate(CAPACITY);
    const log: string[] = [];
    const [a, b] = [task(log, 'a'), task(log, 'b')];
    void gate.run({ memory: '60MB' }, a.run);
    void gate.run({ memory: '60MB' }, b.run, AbortSignal.abort());
    await settled();
    expect([log, gate.tasks]).toEqual([['a', 'b'], { running: 1, waiting: 0 }]);
    a.end();
    b.end();
  });
});

describe('the limiter', () => {
  it('keeps the order of those who wait, also after thousands', async () => {
    const limiter = new Limiter(3);
    const order: number[] = [];
    let running = 0;
    const work = async (at: number) => {
      running += 1;
      expect(running).toBeLessThanOrEqual(3);
      order.push(at);
      await Promise.resolve();
      running -= 1;
    };
    await Promise.all(Array.from({ length: 5_000 }, (_, at) => limiter.run(() => work(at))));
    expect(order).toEqual(Array.from({ length: 5_000 }, (_, at) => at));
  });
});

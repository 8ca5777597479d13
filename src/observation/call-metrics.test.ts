import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import { UNKNOWN_TOOL } from '../contract/metrics.ts';
import { CallMetrics } from './call-metrics.ts';

const watched = async (tools: Parameters<typeof testCrib>[0]) => {
  const crib = await testCrib(tools);
  const { runtime, events } = crib;
  const isTool = (name: string) => crib.tools.get(name) !== undefined;
  return { crib, metrics: new CallMetrics(events, { runtime, isTool }) };
};

describe('CallMetrics', () => {
  it('counts by tool, status and code, and sums up cost', async () => {
    const { crib, metrics } = await watched([
      aTool({ cost: { model: 'usage_based', fixed: 0.25 } as never }),
      aTool({
        name: 'fails',
        run: () => {
          throw new Error('broken');
        },
      }),
    ]);
    await crib.execute('echo', {});
    await crib.execute('echo', 'not an object');
    await crib.execute('fails', {});
    expect(metrics.figures('echo')).toMatchObject({ calls: 2, failures: 1, running: 0 });
    expect(metrics.figures()).toMatchObject({ calls: 3, failures: 2, running: 0 });
    expect(metrics.figures('echo')?.costUsd).toBeCloseTo(0.25);
    expect(metrics.tools.get('echo')?.byCode.get('VALIDATION_ERROR')).toBe(1);
    expect(metrics.tools.get('fails')?.byStatus.get('failure')).toBe(1);
  });

  it('tells what is running, and times it by the clock', async () => {
    let finish: (value: unknown) => void = () => undefined;
    const run = () => new Promise((resolve) => (finish = resolve));
    const { crib, metrics } = await watched([aTool({ run })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(200);
    expect(metrics.figures('echo')).toMatchObject({ running: 1, calls: 0 });
    expect(metrics.running).toHaveLength(1);
    finish(1);
    const { metadata } = await call;
    expect(metrics.running).toEqual([]);
    expect(metadata.duration).toBe(200);
    expect(Math.abs((metrics.figures('echo')?.p99Ms ?? 0) - 200)).toBeLessThan(10);
    expect(metrics.figures('echo')?.averageMs).toBe(200);
  });

  it('forgets the pace of more than a minute ago', async () => {
    const { crib, metrics } = await watched([aTool()]);
    for (let call = 0; call < 30; call++) await crib.execute('echo', {});
    expect(metrics.figures()?.perSecond).toBe(0.5);
    await crib.runtime.advance(61_000);
    expect(metrics.figures()?.perSecond).toBe(0);
    expect(metrics.figures()?.calls).toBe(30);
  });

  it('threat: names that a caller makes up grow no list', async () => {
    const { crib, metrics } = await watched([aTool()]);
    for (let at = 0; at < 200; at++) await crib.execute(`made_up_${at}`, {});
    await crib.execute('echo', {});
    expect([...metrics.tools.keys()]).toEqual([UNKNOWN_TOOL, 'echo']);
    expect(metrics.figures(UNKNOWN_TOOL)?.calls).toBe(200);
  });

  it('stops listening when it is closed', async () => {
    const { crib, metrics } = await watched([aTool()]);
    metrics.close();
    expect(crib.events.has('call.measured')).toBe(false);
  });
});

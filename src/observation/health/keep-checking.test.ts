/** Scheduled checks: run when they are due, by one of several processes, and never two rounds at once. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { keepChecking } from './keep-checking.ts';

const MINUTE = 60_000;

/** A crib whose only tool counts its checks, and processes that keep checking on its store. */
const scheduled = async (processes: number, config: object = {}) => {
  let asked = 0;
  const healthCheck = async () => {
    asked += 1;
    return { healthy: true };
  };
  const crib = await testCrib([aTool({ healthCheck })], { config } as never);
  const { runtime, health } = crib;
  const stops = Array.from({ length: processes }, () =>
    keepChecking({ store: () => crib.store(), runtime, health }),
  );
  const stop = async () => {
    for (const each of stops) await each();
  };
  return { crib, stop, asked: () => asked };
};

describe('keepChecking', () => {
  it('checks a subject at the moments of its schedule, once for all processes', async () => {
    const { crib, stop, asked } = await scheduled(3);
    await crib.health.schedule('echo', '*/10 * * * *');
    await crib.runtime.advance(35 * MINUTE);
    expect(asked()).toBe(3);
    await crib.health.unschedule('echo');
    await crib.runtime.advance(30 * MINUTE);
    expect(asked()).toBe(3);
    await stop();
  });

  it('does nothing without a schedule', async () => {
    const { crib, stop, asked } = await scheduled(1);
    await crib.runtime.advance(60 * MINUTE);
    expect(asked()).toBe(0);
    await stop();
  });

  it('checks everything as observation.healthChecks says', async () => {
    const config = { observation: { healthChecks: '0 * * * *' } };
    const { crib, stop, asked } = await scheduled(2, config);
    expect(await crib.health.schedules()).toEqual([
      { subject: 'all', cron: '0 * * * *', configured: true },
    ]);
    await crib.runtime.advance(125 * MINUTE);
    expect(asked()).toBe(2);
    expect((await crib.health.latest())?.checks.some(({ subject }) => subject === 'store')).toBe(
      true,
    );
    await stop();
  });

  it('makes up for missed moments once', async () => {
    const { crib, stop, asked } = await scheduled(0);
    await crib.health.schedule('echo', '* * * * *');
    const { runtime, health } = crib;
    const start = () => keepChecking({ store: () => crib.store(), runtime, health });
    const first = start();
    await runtime.advance(10_000);
    await first();
    await runtime.advance(24 * 60 * MINUTE);
    const second = start();
    await runtime.advance(10_000);
    expect(asked()).toBe(1);
    await second();
    await stop();
  });

  it('checks again after the clock was set back, and where a store says it is done for years', async () => {
    const { crib, stop, asked } = await scheduled(1);
    await crib.health.schedule('echo', '*/10 * * * *');
    await crib.runtime.advance(MINUTE);
    const { memory } = await crib.store();
    const at = crib.runtime.now() + 1000 * 86_400_000;
    await memory.update({ space: 'toolcrib:health', key: 'claims', now: 0 }, (claims) =>
      Object.fromEntries(Object.keys(claims as object).map((key) => [key, at])),
    );
    await crib.runtime.advance(21 * MINUTE);
    expect(asked()).toBeGreaterThanOrEqual(2);
    await stop();
  });

  it('survives a schedule of something that is gone, and one that makes no sense', async () => {
    const { crib, stop, asked } = await scheduled(1);
    await crib.health.schedule('echo', '* * * * *');
    const { memory } = await crib.store();
    await memory.update({ space: 'toolcrib:health', key: 'schedules', now: 0 }, (value) => [
      { subject: 'tool:gone', cron: '* * * * *' },
      { subject: 'tool:echo', cron: 'whenever' },
      { subject: 7 },
      ...(value as []),
    ]);
    await crib.runtime.advance(3 * MINUTE);
    expect(asked()).toBeGreaterThanOrEqual(2);
    await stop();
  });
});

describe('schedules', () => {
  it('are one a subject, and refuse patterns and subjects that make no sense', async () => {
    const { crib, stop } = await scheduled(0);
    await crib.health.schedule('echo', '@hourly');
    await crib.health.schedule('tool:echo', '@daily', { timeZone: 'Europe/Berlin' });
    await crib.health.schedule('all', '@weekly');
    expect(await crib.health.schedules()).toEqual([
      { subject: 'tool:echo', cron: '@daily', timeZone: 'Europe/Berlin' },
      { subject: 'all', cron: '@weekly' },
    ]);
    for (const [subject, cron, code] of [
      ['echo', 'now and then', 'VALIDATION_ERROR'],
      ['nobody', '@daily', 'NOT_FOUND'],
    ] as const) {
      await expect(crib.health.schedule(subject, cron)).rejects.toMatchObject({ code });
    }
    expect(await crib.health.unschedule('echo')).toBe(true);
    expect(await crib.health.unschedule('echo')).toBe(false);
    await stop();
  });
});

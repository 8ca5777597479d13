import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import { createTraceRing } from './trace-ring.ts';

describe('createTraceRing', () => {
  it('keeps the last ones and no more', async () => {
    const crib = await testCrib([aTool()]);
    const ring = createTraceRing(crib.events, 2);
    ring.watch(true);
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push((await crib.execute('echo', {})).metadata.executionId);
    expect(ids.map((id) => ring.of(id)?.[0]?.stage)).toEqual([undefined, 'record', 'record']);
  });

  it('times no call while nobody watches, and keeps what it has', async () => {
    const crib = await testCrib([aTool()]);
    const ring = createTraceRing(crib.events);
    expect(crib.events.has('call.traced')).toBe(false);
    ring.watch(true);
    ring.watch(true);
    const { metadata } = await crib.execute('echo', {});
    ring.watch(false);
    expect(crib.events.has('call.traced')).toBe(false);
    expect(ring.of(metadata.executionId)).toBeDefined();
  });

  it('is over when it is closed', async () => {
    const crib = await testCrib([aTool()]);
    const ring = createTraceRing(crib.events);
    ring.watch(true);
    expect(crib.events.has('call.traced')).toBe(true);
    const { metadata } = await crib.execute('echo', {});
    ring.close();
    expect(ring.of(metadata.executionId)).toBeUndefined();
    expect(crib.events.has('call.traced')).toBe(false);
  });
});

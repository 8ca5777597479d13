import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { MeasuredCall } from '../../contract/events.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';

describe('record', () => {
  it('tells the figures of a call apart from its result', async () => {
    const crib = await testCrib([aTool()]);
    const measured: MeasuredCall[] = [];
    crib.events.on('call.measured', (call) => void measured.push(call));
    const done = await crib.execute('echo', { secret: 'words' }, { userId: 'ada' });
    const refused = await crib.execute('no-such-tool', {}, { userId: 'ada' });
    expect(measured).toMatchObject([
      {
        executionId: done.metadata.executionId,
        tool: 'echo',
        userId: 'ada',
        status: 'success',
        code: undefined,
        attempts: 1,
        durationMs: done.metadata.duration,
      },
      {
        executionId: refused.metadata.executionId,
        userId: 'ada',
        status: 'failure',
        code: 'TOOL_NOT_FOUND',
      },
    ]);
    expect(JSON.stringify(measured)).not.toContain('words');
  });

  it('fills the metadata of every result', async () => {
    const crib = await testCrib([aTool({ version: '2.1.0' })]);
    const { metadata, ...result } = await crib.execute('echo', { a: 1 });
    expect(result).toEqual({ success: true, status: 'success', data: { a: 1 } });
    expect(metadata).toMatchObject({
      toolName: 'echo',
      version: '2.1.0',
      timestamp: crib.runtime.now(),
      attempts: 1,
      cost: 0,
      tokensUsed: 0,
      cached: false,
      degraded: false,
      resourcesUsed: [],
      traceId: metadata.executionId,
      labels: { trust: 'trusted', sensitivity: 'public' },
    });
  });

  it('measures the duration by the clock', async () => {
    let finish: (value: unknown) => void = () => undefined;
    const run = () => new Promise((resolve) => (finish = resolve));
    const crib = await testCrib([aTool({ run })]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(250);
    finish(1);
    expect((await call).metadata.duration).toBe(250);
  });

  it('records refused calls too', async () => {
    const crib = await testCrib([aTool()]);
    await crib.execute('nothing', {});
    await crib.execute('echo', 'not an object');
    const rows = await crib.audit.query();
    expect(rows.map(({ status, code, tool }) => [status, code, tool])).toEqual([
      ['failure', 'VALIDATION_ERROR', 'echo'],
      ['failure', 'TOOL_NOT_FOUND', 'nothing'],
    ]);
  });

  it('keeps secrets and unvalidated input out of the trail', async () => {
    const crib = await testCrib([aTool()]);
    await crib.execute('echo', { password: 'hunter2-canary', note: `ghp_${'a1B2'.repeat(9)}` });
    await crib.execute('echo', 'canary that never was an object');
    const rows = await crib.audit.query();
    expect(JSON.stringify(rows)).not.toMatch(/canary|ghp_/);
  });

  it('turns a bug of ours into INTERNAL, with the cause in the log alone', async () => {
    const store = createMemoryStore();
    const broken = {
      ...store,
      counters: { ...store.counters, hit: () => Promise.reject(new Error('wires crossed')) },
    };
    const crib = await testCrib([aTool({ rateLimit: { maxPerHour: 1 } })], { store: broken });
    const result = await crib.execute('echo', {});
    expect(result.error?.code).toBe('INTERNAL');
    expect(JSON.stringify(result)).not.toContain('wires crossed');
    expect(JSON.stringify(crib.runtime.logged)).toContain('wires crossed');
  });

  it('withholds a result whose row could not be written', async () => {
    const store = createMemoryStore();
    let ran = 0;
    const full = () => Promise.reject(new Error('disk full'));
    const broken = { ...store, audit: { ...store.audit, append: full, intend: full } };
    const run = () => ++ran;
    const reading = await testCrib([aTool({ run })], { store: broken });
    expect((await reading.execute('echo', {})).error?.code).toBe('STORE_UNAVAILABLE');
    expect(ran).toBe(1);
    const writing = await testCrib([aTool({ tier: 'write', run })], { store: broken });
    const result = await writing.execute('echo', {});
    expect(result.success).toBe(false);
    // No intent on disk, no effect.
    expect(ran).toBe(1);
  });

  it('announces calls to listeners; one that throws does not change the result', async () => {
    const crib = await testCrib([aTool()]);
    const seen: string[] = [];
    crib.events.on('call.started', ({ tool }) => seen.push(`started ${tool}`));
    const stop = crib.events.on('call.finished', () => {
      throw new Error('listener');
    });
    crib.events.on('call.finished', ({ tool, result }) => seen.push(`${result.status} ${tool}`));
    expect((await crib.execute('echo', {})).success).toBe(true);
    stop();
    expect(seen).toEqual(['started echo', 'success echo']);
  });
});

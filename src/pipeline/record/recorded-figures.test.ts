/** What the trail says of a call: its tokens, and its own time without that of people. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';

describe('a call that used tokens', () => {
  it('has them in its row, so that costs over time show what usage shows', async () => {
    const run = (_: unknown, context: ToolContext) => {
      context.charge({ tokens: 46_080 });
      return 1;
    };
    const crib = await testCrib([aTool({ run: run as never })]);
    await crib.execute('echo', {});
    const [row] = await crib.audit.query({ kind: 'outcome' });
    expect(row?.detail.tokens).toBe(46_080);
    expect((await crib.metrics.summary()).tokens).toBe(46_080);
  });
});

describe('a call that a person was asked about', () => {
  const asked = async (waitMs: number) => {
    const made: { elapsed?: (ms: number) => Promise<void> } = {};
    const inner = aTool({ name: 'inner', tier: 'execute' });
    const outer = aTool({
      name: 'outer',
      run: ((_: unknown, context: ToolContext) => context.call('inner', {})) as never,
    });
    const crib = await testCrib([inner, outer], {
      approver: async () => {
        await made.elapsed?.(waitMs);
        return true;
      },
    });
    made.elapsed = (ms) => crib.runtime.advance(ms);
    return crib;
  };

  it('does not count the time of the person, and neither does the call that made it', async () => {
    const crib = await asked(20_000);
    const started = crib.runtime.now();
    const { metadata, success } = await crib.execute('outer', {});
    expect(success).toBe(true);
    expect(metadata.duration).toBeLessThan(10_000);
    const rows = await crib.audit.query({ kind: 'outcome' });
    for (const { durationMs, detail, at } of rows) {
      expect(durationMs).toBeLessThan(10_000);
      expect(detail.waitedMs).toBe(20_000);
      expect(at).toBeGreaterThanOrEqual(started + 20_000);
    }
    const status = await crib.executions.status(metadata.executionId);
    expect(status?.startedAt).toBe(started);
  });

  it('is the only call on record: the decision about it is not a call', async () => {
    const crib = await asked(10);
    await crib.execute('inner', {});
    const events = await crib.audit.query({ kind: 'event' });
    expect(events.length).toBeGreaterThan(0);
    for (const { executionId } of events) {
      expect(await crib.executions.status(executionId)).toBeUndefined();
    }
  });
});

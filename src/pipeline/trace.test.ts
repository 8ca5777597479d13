import { describe, expect, it } from 'vitest';
import { MANDATORY } from '../../test/architecture/pipeline-drawing.ts';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { CribEvents, StageTrace } from '../contract/events.ts';

const traced = async (tools: Parameters<typeof testCrib>[0]) => {
  const crib = await testCrib(tools);
  const seen: CribEvents['call.traced'][] = [];
  const stop = crib.events.on('call.traced', (trace) => seen.push(trace));
  return { crib, seen, stop };
};

const names = (stages: readonly StageTrace[] | undefined) => stages?.map(({ stage }) => stage);

describe('trace', () => {
  it('names every stage of the drawing once, in order, for a call that went through', async () => {
    const { crib, seen } = await traced([aTool()]);
    const result = await crib.execute('echo', { a: 1 });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.executionId).toBe(result.metadata.executionId);
    expect(names(seen[0]?.stages)).toEqual(MANDATORY);
    expect(seen[0]?.stages.map(({ outcome }) => outcome)).toEqual([
      ...MANDATORY.slice(0, -1).map(() => 'passed'),
      'answered',
    ]);
  });

  it('ends with the gate that refused', async () => {
    const { crib, seen } = await traced([aTool()]);
    await crib.execute('echo', 'not an object');
    expect(names(seen[0]?.stages)).toEqual(['record', 'resolve', 'validateInput']);
    expect(seen[0]?.stages.at(-1)?.outcome).toBe('answered');
  });

  it('measures by the clock, outer stages holding the inner ones', async () => {
    let finish: (value: unknown) => void = () => undefined;
    const { crib, seen } = await traced([
      aTool({ run: () => new Promise((resolve) => (finish = resolve)) }),
    ]);
    const call = crib.execute('echo', {});
    await crib.runtime.advance(250);
    finish(1);
    await call;
    expect(seen[0]?.stages.map(({ durationMs }) => durationMs)).toEqual(MANDATORY.map(() => 250));
  });

  it('shows each attempt of a call that was tried again', async () => {
    let runs = 0;
    const run = () => {
      if (++runs < 3) throw new ToolFailure('NETWORK');
      return runs;
    };
    const retry = { maxRetries: 3, backoff: { type: 'none' } } as const;
    const { crib, seen } = await traced([aTool({ run, retry })]);
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect(names(seen[0]?.stages)?.filter((name) => name === 'execute')).toHaveLength(3);
  });

  it('says that a stage threw, and leaves the error to the outermost', async () => {
    const { crib, seen } = await traced([
      aTool({
        run: () => {
          throw new Error('broken');
        },
      }),
    ]);
    const result = await crib.execute('echo', {});
    expect(result.success).toBe(false);
    expect(seen[0]?.stages[0]).toMatchObject({ stage: 'record', outcome: 'passed' });
  });

  it('holds nothing of what was in the call', async () => {
    const { crib, seen } = await traced([aTool()]);
    await crib.execute('echo', { note: 'canary-in-the-input' });
    await crib.execute('canary-in-the-name', {});
    expect(JSON.stringify(seen)).not.toContain('canary');
  });

  it('traces a call inside a call by itself', async () => {
    const { crib, seen } = await traced([
      aTool(),
      aTool({ name: 'outer', run: (_, context) => context.call('echo', { a: 1 }) }),
    ]);
    const result = await crib.execute('outer', {});
    expect(result.success).toBe(true);
    expect(seen).toHaveLength(2);
    expect(new Set(seen.map(({ executionId }) => executionId)).size).toBe(2);
  });

  it('gives the same answers with a listener and without', async () => {
    const { crib, seen, stop } = await traced([aTool()]);
    const watched = await crib.execute('echo', { a: 1 });
    stop();
    const bare = await crib.execute('echo', { a: 1 });
    expect(bare.data).toEqual(watched.data);
    expect(seen).toHaveLength(1);
  });
});

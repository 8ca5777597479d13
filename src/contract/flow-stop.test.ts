import { afterEach, describe, expect, it } from 'vitest';
import { createCribHost } from '../crib/create-crib.ts';
import type { FlowData, FlowDataStep } from './flow-data.ts';
import { stopOf } from './flow-stop.ts';
import type { FlowRun } from './flow-store.ts';

const BASE = {
  ...{ flow: 'sample', version: '1.0.0', input: null, createdAt: 0, updatedAt: 0, epoch: 1 },
};

/** Reads runs of which only these fields matter. */
const runsOf = (runs: Readonly<Record<string, Partial<FlowRun>>>) => {
  const get = async (id: string) =>
    runs[id] ? ({ ...BASE, ...runs[id], id } as FlowRun) : undefined;
  return { get, steps: async () => [] } as unknown as Parameters<typeof stopOf>[0];
};

const stopIn = async (runs: Readonly<Record<string, Partial<FlowRun>>>) => {
  const flows = runsOf(runs);
  const stop = await stopOf(flows, (await flows.get('top')) as FlowRun, 0);
  return stop && { ...stop, blocked: stop.blocked.map(({ id }) => id) };
};

describe('a run that has started a blocked one', () => {
  const blocked = { status: 'blocked' } as const;
  const waits = (...waitsFor: readonly string[]) => ({ status: 'waiting', waitsFor }) as const;

  it('comes down to the blocked run, however deep it is', async () => {
    const runs = { top: waits('run:mid', 'time'), mid: waits('run:low'), low: blocked };
    expect(await stopIn(runs)).toEqual({ approvals: [], blocked: ['low'] });
  });

  it('comes down to the questions beside the blocked run, too', async () => {
    const runs = {
      top: waits('approval:a', 'run:low', 'run:ask'),
      low: blocked,
      ask: waits('approval:b'),
    };
    expect(await stopIn(runs)).toEqual({ approvals: ['a', 'b'], blocked: ['low'] });
  });

  it.each([
    ['an event', 'event:paid', {}],
    ['a run that works', 'run:busy', { busy: { status: 'running' } }],
    ['a run that has ended', 'run:done', { done: { status: 'completed' } }],
    ['a run that is not on record', 'run:gone', {}],
  ] as const)('goes on while %s may continue it', async (_, cause, more) => {
    expect(await stopIn({ top: waits('run:low', cause), low: blocked, ...more })).toBeUndefined();
  });
});

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const DAY = 86_400_000;
const ASK: FlowDataStep = { id: 'ask', approve: 'Go on?' };

/** Starts a run, and returns what it asks once it waits. */
const questionsOf = async (
  steps: readonly FlowDataStep[],
  part: Partial<FlowData> = {},
  later = 0,
) => {
  const crib = await createCribHost({ store: 'memory', builtins: false });
  cleanup.push(() => crib.close());
  await crib.flows.registerData({
    ...{ name: 'inner', version: '1.0.0', steps: [ASK], limits: { timeoutMs: DAY } },
  });
  await crib.flows.registerData({ name: 'sample', version: '1.0.0', steps, ...part });
  const { runId } = await crib.flows.start('sample', {});
  await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
  await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
  const run = (await crib.flows.get(runId)) as FlowRun;
  return (await stopOf(crib.flows, run, Date.now() + later))?.approvals ?? [];
};

describe('the questions that a run comes down to', () => {
  it('a run with a time limit that asks a person waits for that person alone', async () => {
    expect(await questionsOf([ASK], { limits: { timeoutMs: DAY } })).toHaveLength(1);
  });

  it('so does a step with a time limit, and one in a sub-flow with limits', async () => {
    expect(await questionsOf([{ ...ASK, timeoutMs: DAY }])).toHaveLength(1);
    const sub = { id: 'sub', flow: 'inner@1.0.0', timeoutMs: DAY };
    expect(await questionsOf([sub], { limits: { timeoutMs: DAY } })).toHaveLength(1);
  });

  it('a run that also sleeps, or waits for an event, goes on without the person', async () => {
    const limits = { timeoutMs: DAY };
    const sleep = { id: 'sleep', sleepMs: DAY };
    expect(await questionsOf([ASK, sleep], { kind: 'parallel', limits })).toEqual([]);
    const event = { id: 'event', waitFor: 'go' };
    expect(await questionsOf([ASK, event], { kind: 'parallel', limits })).toEqual([]);
  });

  it('once the sleep beside it is over, only the question is left', async () => {
    const sleep = { id: 'sleep', sleepMs: 1 };
    const crib = await createCribHost({ store: 'memory', builtins: false });
    cleanup.push(() => crib.close());
    await crib.flows.registerData({
      ...{ name: 'both', version: '1.0.0', kind: 'parallel', steps: [ASK, sleep] },
      limits: { timeoutMs: DAY },
    });
    const { runId } = await crib.flows.start('both', {});
    const questions = async () => {
      const run = (await crib.flows.get(runId)) as FlowRun;
      return (await stopOf(crib.flows, run, Date.now()))?.approvals.length;
    };
    await expect.poll(questions).toBe(1);
  });

  it('a limit that is over ends the run, whatever the person says', async () => {
    expect(await questionsOf([ASK], { limits: { timeoutMs: DAY } }, 2 * DAY)).toEqual([]);
  });
});

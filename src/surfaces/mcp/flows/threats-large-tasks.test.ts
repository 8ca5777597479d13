/** Threat: a client starts runs with large inputs, and the list of its tasks fills the memory of the server. */
import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { FlowFilter, FlowRun } from '../../../contract/flow-store.ts';
import { listOwnRuns } from './own-runs.ts';

const runOf = (at: number, userId = 'local'): FlowRun => ({
  ...{ id: `run${at}`, epoch: 1, flow: 'sample', version: '1.0.0', status: 'completed' },
  ...{ caller: { ...LOCAL_CALLER, userId }, input: { at }, output: { at } },
  ...{ createdAt: at, updatedAt: at },
});

/** A crib with these runs, which notes how many are in memory after each read. */
const cribOf = (stored: readonly FlowRun[]) => {
  const sizes: number[] = [];
  const list = async ({ userId, before = Number.POSITIVE_INFINITY, limit = 100 }: FlowFilter) => {
    const fitting = stored
      .filter(({ caller, createdAt }) => caller.userId === userId && createdAt < before)
      .sort((one, other) => other.createdAt - one.createdAt)
      .slice(0, limit);
    sizes.push(fitting.length);
    return fitting;
  };
  return { crib: { flows: { list } } as unknown as Crib, sizes };
};

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const MINE = { userId: 'local', agentId: 'local' };

describe('threat: the tasks of a client whose runs are large', () => {
  it('hostile: are read some at a time, and held without their inputs and outputs', async () => {
    const { crib, sizes } = cribOf(range(500).map((at) => runOf(at)));
    const runs = await listOwnRuns(crib, MINE);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(22);
    expect(runs.map(({ createdAt }) => createdAt)).toEqual(range(500).toReversed());
    expect(runs.every(({ input, output }) => input === null && output === undefined)).toBe(true);
  });

  it('hostile: of more runs than a client looks through, only the newest are read', async () => {
    const { crib } = cribOf(range(1_500).map((at) => runOf(at)));
    const runs = await listOwnRuns(crib, MINE);
    expect([runs.length, runs.at(-1)?.createdAt]).toEqual([1_000, 500]);
  });

  it('benign: are all listed where there are few, without those of others', async () => {
    const { crib, sizes } = cribOf([runOf(1), runOf(2, 'eve'), runOf(3)]);
    expect((await listOwnRuns(crib, MINE)).map(({ id }) => id)).toEqual(['run3', 'run1']);
    expect(sizes).toEqual([2]);
  });
});

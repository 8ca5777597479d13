import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { DueRuns, type DueRunsDeps } from './due-runs.ts';

const HOUR = 3_600_000;

describe('the looks for due runs', () => {
  it('forget old runs every hour, also after the clock was set back', async () => {
    let now = 100 * HOUR;
    const forgotten: number[] = [];
    const { flows } = createMemoryStore();
    flows.expire = async (before) => forgotten.push(before);
    const deps = {
      ...{ registry: { keys: () => new Set() }, runtime: { now: () => now } },
      flows: async () => flows,
      turns: {
        ...{ giveUpUnreleased: async () => undefined, recheckDue: async () => undefined },
        dropCancelled: async () => undefined,
      },
      watchers: { refresh: async () => undefined },
      scheduler: { after: () => undefined },
    };
    const dueRuns = new DueRuns(deps as unknown as DueRunsDeps);
    for (const at of [100, 100.5, 50, 50.5]) {
      now = at * HOUR;
      await dueRuns.look();
    }
    expect(forgotten).toHaveLength(2);
  });
});

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { DueRuns, type DueRunsDeps } from './due-runs.ts';

const HOUR = 3_600_000;

const refreshes: number[] = [];

const open = (parts: object, now: () => number) => {
  const { flows } = createMemoryStore();
  const deps = {
    registry: { keys: () => new Set(['f@1.0.0']) },
    runtime: { now },
    flows: async () => Object.assign(flows, parts),
    approval: async () => ({ state: 'approved' }),
    turns: {
      giveUpUnreleased: async () => undefined,
      recheckDue: async () => undefined,
      dropCancelled: async () => undefined,
    },
    watchers: { refresh: async () => refreshes.push(now()) },
    scheduler: { after: () => undefined },
    onlyAwaited: false,
  };
  return new DueRuns(deps as unknown as DueRunsDeps);
};

describe('the looks for due runs', () => {
  it('take over what is due before they read what others wait for', async () => {
    const waiting = Array.from({ length: 200 }, (_, at) => ({
      id: String(at),
      flow: 'f',
      version: '1.0.0',
      waitsFor: ['approval:x'],
    }));
    const asked: string[] = [];
    const dueRuns = open(
      {
        claim: async () => {
          asked.push('claim');
          return [];
        },
        waitingForAnswer: async () => {
          asked.push('list');
          return waiting;
        },
        wake: async (id: string) => asked.push(id),
      },
      () => 1,
    );
    await dueRuns.look();
    expect(asked.slice(0, 2)).toEqual(['claim', 'list']);
    expect(asked).toHaveLength(202);
  });

  it('read the runs that others work on and somebody here awaits at most once a second', async () => {
    let now = 1_000_000;
    refreshes.length = 0;
    const dueRuns = open({ claim: async () => [], waitingForAnswer: async () => [] }, () => now);
    for (const ms of [0, 5, 500, 1_000, 1_400]) {
      now = 1_000_000 + ms;
      await dueRuns.look();
    }
    expect(refreshes).toEqual([1_000_000, 1_001_000]);
  });

  it('forget old runs every hour, also after the clock was set back', async () => {
    let now = 100 * HOUR;
    const forgotten: number[] = [];
    const expire = async (before: number) => forgotten.push(before);
    const dueRuns = open({ expire }, () => now);
    for (const at of [100, 100.5, 50, 50.5]) {
      now = at * HOUR;
      await dueRuns.look();
    }
    expect(forgotten).toHaveLength(2);
  });
});

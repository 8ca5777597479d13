import { describe, expect, it } from 'vitest';
import type { CribEvents } from '../../contract/events.ts';
import type { HealthCheckResult, HealthState } from '../../contract/health.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { HEALTH_SPACE, keepResults, readHistory, readResults } from './kept-results.ts';

const DAY = 86_400_000;

const setUp = () => {
  const { memory } = createMemoryStore();
  const clock = { now: 1_000_000 };
  const told: CribEvents['health.changed'][] = [];
  const emit = (_name: string, payload: unknown) => void told.push(payload as (typeof told)[0]);
  const deps = { memory, events: { emit } as never, runtime: { now: () => clock.now } };
  const keep = (state: HealthState, isAll = false, name = 'git') =>
    keepResults([resultOf(state, clock.now, name)], isAll, deps);
  return { memory, clock, told, keep };
};

const resultOf = (state: HealthState, timestamp: number, name: string): HealthCheckResult => {
  const isWell = state === 'well';
  const message = isWell ? 'It answers.' : 'It is away.';
  return {
    subject: `tool:${name}`,
    kind: 'tool',
    name,
    state,
    healthy: state !== 'unwell',
    timestamp,
    durationMs: 1,
    checks: [{ name: 'answer', state: isWell ? 'ok' : 'broken', message }],
  };
};

describe('keepResults', () => {
  it('keeps the last result, and announces only changes', async () => {
    const { memory, clock, told, keep } = setUp();
    for (const state of ['well', 'well', 'unwell', 'unwell', 'well'] as const) {
      await keep(state);
      clock.now += 1000;
    }
    expect(told.map(({ state, before }) => [before, state])).toEqual([
      ['well', 'unwell'],
      ['unwell', 'well'],
    ]);
    const { last, changes } = await readHistory(memory, 'tool:git', clock.now);
    expect(last?.state).toBe('well');
    expect(changes.map(({ state, reason }) => [state, reason])).toEqual([
      ['well', undefined],
      ['unwell', 'It is away.'],
      ['well', undefined],
    ]);
  });

  it('announces a first result only where something is wrong', async () => {
    const { told, keep } = setUp();
    await keep('well', false, 'fine');
    await keep('limited', false, 'half');
    expect(told).toMatchObject([{ name: 'half', state: 'limited', healthy: true }]);
    expect(told[0]).not.toHaveProperty('before');
  });

  it('notes when everything was checked, and forgets subjects after thirty days', async () => {
    const { memory, clock, keep } = setUp();
    await keep('well', true);
    const first = clock.now;
    clock.now += 30 * DAY;
    await keep('well', false, 'other');
    const { allAt, results } = await readResults(memory, clock.now);
    expect([allAt, results.map(({ name }) => name)]).toEqual([first, ['other']]);
  });

  it('keeps the newest fifty changes of a subject', async () => {
    const { memory, clock, keep } = setUp();
    for (let at = 0; at < 60; at += 1) {
      await keep(at % 2 === 0 ? 'well' : 'unwell');
      clock.now += 1000;
    }
    const { changes } = await readHistory(memory, 'tool:git', clock.now);
    expect(changes).toHaveLength(50);
    expect(changes[0]?.timestamp).toBe(clock.now - 1000);
  });

  it('threat: what was planted in the store and is no result is left out', async () => {
    const { memory, clock } = setUp();
    const good = resultOf('well', clock.now, 'git');
    const results = {
      a: good,
      b: 'text',
      c: { ...good, state: 'splendid' },
      d: { ...good, kind: 'toString' },
      e: { ...good, checks: [{ name: 1 }] },
      f: { ...good, timestamp: 'now' },
    };
    await memory.write({ space: HEALTH_SPACE, key: 'last', value: { allAt: 'x', results } });
    await memory.write({ space: HEALTH_SPACE, key: 'changes:a', value: [7, { state: 'well' }] });
    const kept = await readResults(memory, clock.now);
    expect([kept.allAt, kept.results]).toEqual([0, [good]]);
    expect((await readHistory(memory, 'a', clock.now)).changes).toEqual([]);
    expect(await readHistory(memory, 'constructor', clock.now)).toEqual({ changes: [] });
  });
});

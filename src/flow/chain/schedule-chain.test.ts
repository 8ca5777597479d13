import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainCall, ChainScheduleOptions } from '../../contract/chain.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { ResourceRequirements } from '../../contract/tool-limits.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const toolOf = (name: string, resourceRequirements?: ResourceRequirements) =>
  defineTool({
    name,
    description: 'Works.',
    tier: 'read_only',
    input: z.looseObject({}),
    ...(resourceRequirements && { resourceRequirements }),
    run: () => 'done',
  });

const schedule = async (calls: readonly ChainCall[], options?: ChainScheduleOptions) => {
  const tools = [
    toolOf('light'),
    toolOf('half', { memory: '50MB', cpu: '50%' }),
    toolOf('heavy', { memory: '90MB', cpu: '100%' }),
    toolOf('huge', { memory: '900MB' }),
  ];
  const crib = await createCribHost({ store: 'memory', builtins: false, tools });
  cleanup.push(() => crib.close());
  return crib.chains.schedule(calls, options);
};

/** Calls that wait for nothing: a chain whose calls name others is a graph. */
const free = (tool: string, id: string): ChainCall => ({ tool, id, input: {}, dependsOn: [] });
const LIMITS = { memory: '100MB', cpu: '200%' };

describe('scheduling a chain', () => {
  it('puts calls together that fit the resources, and those that do not into the next round', async () => {
    const calls = [free('half', 'a'), free('heavy', 'b'), free('half', 'c'), free('light', 'd')];
    const { available, rounds, oversized } = await schedule(calls, LIMITS);
    expect(rounds.map((round) => round.calls)).toEqual([['a', 'c', 'd'], ['b']]);
    expect(rounds[0]?.uses).toEqual({ memoryBytes: 100e6, diskBytes: 0, cores: 1 });
    expect(available.memoryBytes).toBe(100e6);
    expect(oversized).toEqual([]);
  });

  it('keeps the order of calls that wait for others', async () => {
    const calls: ChainCall[] = [
      free('light', 'a'),
      { tool: 'light', id: 'b', input: {}, dependsOn: ['a'] },
      { tool: 'half', id: 'c', input: {}, dependsOn: ['a'] },
      { tool: 'light', id: 'd', input: {}, dependsOn: ['b', 'c'] },
    ];
    const { rounds } = await schedule(calls, LIMITS);
    expect(rounds.map((round) => round.calls)).toEqual([['a'], ['b', 'c'], ['d']]);
    const inTurn = await schedule([{ tool: 'light' }, { tool: 'light' }]);
    expect(inTurn.rounds.map((round) => round.calls)).toEqual([['call1'], ['call2']]);
  });

  it('runs a call alone that needs more than there is, and names it', async () => {
    const { rounds, oversized } = await schedule([free('light', 'a'), free('huge', 'b')], LIMITS);
    expect(oversized).toEqual(['b']);
    expect(rounds.map((round) => round.calls)).toEqual([['a'], ['b']]);
    const first = await schedule([free('huge', 'b'), free('light', 'a')], LIMITS);
    expect(first.rounds.map((round) => round.calls)).toEqual([['b'], ['a']]);
  });

  it('holds to a limit of calls at once, and to the machine without limits', async () => {
    const calls = ['a', 'b', 'c'].map((id) => free('light', id));
    const { rounds } = await schedule(calls, { maxConcurrency: 2 });
    expect(rounds.map((round) => round.calls)).toEqual([['a', 'b'], ['c']]);
    const { available } = await schedule(calls, { memory: '900000GB' });
    expect(available.memoryBytes).toBeLessThan(9e14);
    expect(available.cores).toBeGreaterThanOrEqual(1);
  });

  it.each<[string, readonly ChainCall[], ChainScheduleOptions, string]>([
    ['a tool that is not there', [{ tool: 'nothing' }], {}, 'TOOL_NOT_FOUND'],
    ['a size that is none', [{ tool: 'light' }], { memory: 'much' }, 'VALIDATION_ERROR'],
    ['a share that is none', [{ tool: 'light' }], { cpu: '2 cores' }, 'VALIDATION_ERROR'],
    ['no call at once', [{ tool: 'light' }], { maxConcurrency: 0 }, 'VALIDATION_ERROR'],
    [
      'calls that wait for each other',
      [
        { tool: 'light', id: 'a', dependsOn: ['b'] },
        { tool: 'light', id: 'b', dependsOn: ['a'] },
      ],
      {},
      'VALIDATION_ERROR',
    ],
  ])('refuses %s', async (_, calls, options, code) => {
    await expect(schedule(calls, options)).rejects.toMatchObject({ code });
  });
});

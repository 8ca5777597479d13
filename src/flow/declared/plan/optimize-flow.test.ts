import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowData, FlowDataStep } from '../../../contract/flow-data.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { createRegistry } from '../../../registry/registry.ts';
import { referenceFaults } from '../check/check-references.ts';
import { compileProgram } from '../flow-program.ts';
import { checkFlowData } from '../parse-flow.ts';
import { optimizeFlow } from './optimize-flow.ts';

const tool = (name: string, tier: 'read_only' | 'write') =>
  defineTool({ name, description: name, tier, input: z.looseObject({}), run: (input) => input });

const tools = createRegistry({ runtime: createRuntime() });
tools.registerAll([tool('read', 'read_only'), tool('write', 'write')]);

const read = (id: string, input: unknown = { id }): FlowDataStep => ({ id, call: 'read', input });
const write = (id: string): FlowDataStep => ({ id, call: 'write', input: {} });

const optimized = (steps: readonly FlowDataStep[], more: Partial<FlowData> = {}) =>
  optimizeFlow(checkFlowData({ name: 'sample', version: '1.0.0', steps, ...more }), tools);

const afters = ({ steps = [] }: Pick<FlowDataStep, 'steps'>) =>
  Object.fromEntries(steps.map(({ id, after = [] }) => [id, after]));

describe('optimizing a flow', () => {
  it('runs reads together that do not use each other', () => {
    const { flow, changes, saves } = optimized([
      read('a'),
      read('b'),
      read('c', { x: { from: 'steps.a.data.id' } }),
    ]);
    expect(flow).toMatchObject({ kind: 'dag', output: { from: 'steps.c.data' } });
    expect(afters(flow)).toEqual({ a: [], b: [], c: ['a'] });
    expect(changes.map(({ type }) => type)).toEqual(['parallelized']);
    expect(saves).toEqual({ calls: 0, levels: 1 });
  });

  it('moves nothing across a step that may change something', () => {
    const { flow } = optimized([
      ...[read('a'), read('b'), write('w'), read('c'), read('d'), write('v'), write('u')],
    ]);
    expect(afters(flow)).toEqual({
      a: [],
      b: [],
      w: ['a', 'b'],
      c: ['w'],
      d: ['w'],
      v: ['c', 'd'],
      u: ['v'],
    });
  });

  it('makes the same read once, and points those who use it at the first', () => {
    const { flow, saves } = optimized([
      read('a', { k: 1 }),
      read('b', { k: 1 }),
      read('c', { one: { from: 'steps.a.data.k' }, two: { from: 'steps.b.data.k' } }),
    ]);
    expect(flow.steps.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(flow.steps[1]?.input).toEqual({
      one: { from: 'steps.a.data.k' },
      two: { from: 'steps.a.data.k' },
    });
    expect(saves.calls).toBe(1);
  });

  it.each([
    ['a write is between them', [read('a', {}), write('w'), read('b', {}), read('z')]],
    ['they write', [write('a'), write('b'), read('z')]],
    ['their conditions differ', [read('a', {}), { ...read('b', {}), when: 'true' }, read('z')]],
    [
      'an expression names the second',
      [read('a', {}), read('b', {}), read('z', { x: { cel: 'steps.b.data' } })],
    ],
  ])('does not merge calls when %s', (_why, steps) => {
    const { saves, flow } = optimized(steps);
    expect(saves.calls).toBe(0);
    expect(flow.steps).toHaveLength(steps.length);
  });

  it('leaves a flow alone whose result would be another', () => {
    const steps = [read('a'), { ...read('b'), when: 'input.x' }];
    expect(optimized(steps).changes).toEqual([]);
    expect(optimized([read('a'), read('b', { x: { from: 'steps.a.data' } })]).changes).toEqual([]);
  });

  it('runs reads of an inner group together, with the same result', () => {
    const group: FlowDataStep = {
      id: 'group',
      retry: { attempts: 2 },
      steps: [read('a'), read('b'), read('c', { x: { from: 'steps.a.data.id' } })],
    };
    const { flow, saves } = optimized([group, write('w')]);
    const [inner] = flow.steps;
    expect(inner).toMatchObject({ kind: 'dag', output: { from: 'steps.c.data' } });
    expect(afters(inner ?? {})).toEqual({ a: [], b: [], c: ['a'] });
    expect(saves.levels).toBe(1);
    expect(compileProgram(flow).faults).toEqual([]);
    expect(referenceFaults(compileProgram(flow))).toEqual([]);
  });

  it.each([
    ['a join looks at the step before', [read('a'), { ...read('b'), join: 'any_success' }]],
    [
      'the last may be skipped',
      [read('a'), { ...read('b'), onError: { fallback: { call: 'read' }, otherwise: 'skip' } }],
    ],
  ] as const)('leaves a group alone where %s', (_why, steps) => {
    expect(optimized([{ id: 'group', steps }]).changes).toEqual([]);
    expect(optimized(steps).changes).toEqual([]);
  });

  it('leaves a flow alone that is judged by another join', () => {
    expect(optimized([read('a'), read('b')], { join: 'any_success' }).changes).toEqual([]);
  });

  it('keeps every end of a graph that another join judges, and merges what comes before', () => {
    const steps = [
      ...[read('r1', { x: 1 }), read('r2', { x: 1 }), write('w')],
      ...[read('s1', { x: 2 }), read('s2', { x: 2 })],
      { ...write('v'), after: ['s1', 's2'] },
      ...[read('e', { x: 3 }), read('t', { x: 3 }), { ...write('u'), after: ['t'] }],
    ];
    const judged = { kind: 'dag', join: 'majority', onFailure: 'continue', output: 1 } as const;
    const { flow, changes } = optimized(steps, judged);
    expect(flow.steps.map(({ id }) => id)).toEqual([
      ...['r1', 'r2', 'w', 's1', 'v', 'e', 't', 'u'],
    ]);
    expect(changes.map(({ steps: merged }) => merged)).toEqual([['s1', 's2']]);
  });

  it('leaves pipelines, branches and unknown tools alone', () => {
    for (const kind of ['pipeline', 'conditional'] as const) {
      const steps = [
        { ...read('a', {}), when: 'true' },
        { ...read('b', {}), when: 'true' },
      ];
      expect(optimized(steps, { kind }).changes).toEqual([]);
    }
    const unknown = { id: 'x', call: 'unknown' };
    expect(optimized([unknown, { ...unknown, id: 'y' }]).changes).toEqual([]);
  });
});

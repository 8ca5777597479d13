import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import type { FlowDataStep } from '../../contract/flow-data.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

let running = 0;
let most = 0;
const double = defineTool({
  name: 'double',
  description: 'Doubles a number.',
  tier: 'read_only',
  input: z.object({ n: z.number() }),
  output: z.object({ n: z.number() }),
  run: async ({ n }) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return { n: n * 2 };
  },
});

const numbers = defineTool({
  name: 'numbers',
  description: 'Counts from 0.',
  tier: 'read_only',
  input: z.object({ count: z.number() }),
  run: ({ count }) => Array.from({ length: count }, (_, at) => at),
});

const open = async (kind: 'memory' | 'sqlite') => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-large-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  const store = kind === 'memory' ? ('memory' as const) : { sqlite: join(root, 'state.db') };
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    store,
    builtins: false,
    tools: [double, numbers],
  });
  cleanup.push(() => crib.close());
  most = 0;
  return crib;
};

/** Layers of ten; each step adds what two steps of the layer before gave. */
const layers = (count: number): FlowDataStep[] =>
  Array.from({ length: count }, (_, at) => {
    const [layer, column] = [Math.floor(at / 10), at % 10];
    const [one, other] = [column, (column + 1) % 10].map((each) => `s${(layer - 1) * 10 + each}`);
    return layer === 0
      ? { id: `s${at}`, call: 'double', input: { n: 1 } }
      : {
          id: `s${at}`,
          call: 'double',
          after: [String(one), String(other)],
          input: { n: { cel: `(steps.${one}.data.n + steps.${other}.data.n) % 1000` } },
        };
  });

const expectedAt = (layer: number): number => {
  let n = 2;
  for (let each = 0; each < layer; each += 1) n = ((n + n) % 1000) * 2;
  return n;
};

describe.each(['memory', 'sqlite'] as const)('large flows as data in the store %s', (kind) => {
  it('a graph of 1,000 steps runs in the right order', async () => {
    const crib = await open(kind);
    await crib.flows.registerData({
      name: 'graph',
      version: '1.0.0',
      kind: 'dag',
      steps: layers(1_000),
      limits: { maxConcurrency: 20 },
    });
    const { finished, runId } = await crib.flows.start('graph', {});
    const end = await finished;
    expect(end.status).toBe('completed');
    const output = end.output as Record<string, { n: number }>;
    expect(Object.keys(output)).toHaveLength(10);
    for (const { n } of Object.values(output)) expect(n).toBe(expectedAt(99));
    expect((await crib.flows.nodes(runId))?.progress).toEqual({ over: 1_000, all: 1_000 });
    expect(most).toBeLessThanOrEqual(20);
  }, 120_000);

  it('a forEach over 10,000 items keeps its window and bounds what it keeps', async () => {
    const crib = await open(kind);
    await crib.flows.registerData({
      name: 'many',
      version: '1.0.0',
      steps: [
        { id: 'list', call: 'numbers', input: { count: 10_000 } },
        {
          id: 'each',
          call: 'double',
          input: { n: { from: 'item' } },
          forEach: { items: { from: 'steps.list.data' }, maxConcurrency: 10, collect: false },
        },
      ],
    });
    const { finished, runId } = await crib.flows.start('many', {});
    const end = await finished;
    expect(end.output).toEqual({ count: 10_000, done: 10_000, failed: 0, skipped: 0 });
    expect(most).toBeLessThanOrEqual(10);
    const steps = await crib.flows.steps(runId);
    expect(steps.filter(({ name }) => name === 'double')).toHaveLength(10_000);
    expect(steps.find(({ key }) => key === 'each.i9999')?.value).toEqual({ n: 19_998 });
  }, 240_000);
});

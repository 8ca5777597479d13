import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { createRegistry } from '../../../registry/registry.ts';
import { parseFlow } from '../parse-flow.ts';
import { validateFlow } from './validate-flow.ts';

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  tier: 'external_api',
  input: z.strictObject({ usd: z.number() }),
  run: () => 'paid',
});
const tools = createRegistry({ runtime: createRuntime() });
tools.registerAll([pay]);

const check = async (...lines: readonly string[]): Promise<readonly string[]> => {
  const { faults } = await validateFlow(await parseFlow(lines.join('\n')), { tools });
  return faults.map(({ path, message }) => `${path.join('.')} ${message}`);
};

const HEAD = ['name: sample', 'version: 1.0.0', 'steps:'];

describe('a field that is wrong', () => {
  it.each([
    ['the version of a step', '{ id: a, call: pay, version: 1.0, input: { usd: 1 } }'],
    ['a pause', '{ id: a, sleepMs: -3 }'],
    ['an event', '{ id: a, waitFor: { event: paid } }'],
    ['a question', '{ id: a, approve: "" }'],
    ['a join', '{ id: a, call: pay, input: { usd: 1 }, join: most }'],
    [
      'a limit of a list',
      '{ id: a, call: pay, input: { usd: 1 }, forEach: { items: [1], maxItems: 0 } }',
    ],
  ])('is one fault and hides no other: %s', async (_what, step) => {
    const faults = await check(...HEAD, `  - ${step}`, '  - { id: b, call: payy }');
    expect(faults).toHaveLength(2);
    expect(faults[1]).toBe('steps.1.call there is no tool payy; did you mean pay?');
  });

  it('hides no other in a flow without name and version, whose input is none', async () => {
    const faults = await check('steps:', '  - { id: a, call: payy }', 'input: text');
    expect(faults.map((fault) => fault.split(' ')[0]).toSorted()).toEqual([
      'input',
      'name',
      'steps.0.call',
      'version',
    ]);
  });

  it('is told in plain words where it is empty or missing', async () => {
    const faults = await check(
      ...HEAD,
      '  - { id: a, approve: "" }',
      '  - { id: b, call: pay, forEach: {} }',
      '  - { id: c, steps: [] }',
    );
    expect(faults).toEqual([
      'steps.0.approve is empty; expected a text',
      'steps.1.forEach.items is missing; expected a value, as in items: { from: input.list }',
      'steps.2.steps is empty; expected at least one entry',
    ]);
  });
});

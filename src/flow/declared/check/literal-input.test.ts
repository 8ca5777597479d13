import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowData } from '../../../contract/flow-data.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { createRegistry } from '../../../registry/registry.ts';
import { parseFlow } from '../parse-flow.ts';
import { validateFlow } from './validate-flow.ts';

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks a price up.',
  tier: 'read_only',
  input: z.strictObject({ item: z.string() }),
  run: () => 1,
});
const convert = defineTool({
  name: 'convert',
  description: 'Converts a text.',
  tier: 'read_only',
  input: z.strictObject({
    operation: z.enum(['word_count', 'trim']),
    text: z.string().max(5),
    options: z.strictObject({ count: z.int().min(1) }).optional(),
  }),
  run: () => 1,
});
const order = defineTool({
  name: 'order',
  description: 'Orders.',
  tier: 'read_only',
  input: {
    oneOf: [
      {
        type: 'object',
        properties: { by: { const: 'name' }, name: { type: 'string' } },
        required: ['by', 'name'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { by: { const: 'number' }, number: { type: 'integer' } },
        required: ['by', 'number'],
        additionalProperties: false,
      },
    ],
  },
  run: () => 1,
});

const tools = createRegistry({ runtime: createRuntime() });
tools.registerAll([lookup, convert, order]);

const INNER: FlowData = {
  name: 'inner',
  version: '1.0.0',
  input: { type: 'object', properties: { n: { type: 'integer', minimum: 5 } } },
  steps: [{ id: 'x', sleepMs: 1 }],
};
const definition = { ...INNER, run: async () => null };

const check = async (step: string, input = '{ type: object }') => {
  const text = ['name: sample', 'version: 1.0.0', `input: ${input}`, 'steps:', step].join('\n');
  const subFlow = () => ({ data: INNER, definition });
  const { ok, faults } = await validateFlow(await parseFlow(text), { tools, subFlow });
  expect(ok).toBe(faults.length === 0);
  return faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
};

describe('inputs that never fit the schema of their tool', () => {
  it.each([
    [
      'a word that the tool does not take, with the one that was meant',
      'call: convert, input: { operation: word_cout, text: hello }',
      ['5:49 input of convert: has to be one of "word_count", "trim"; did you mean word_count?'],
    ],
    [
      'a word that the tool does not take, beside a reference',
      'call: convert, input: { text: { from: input.text }, operation: words }',
      ['5:77 input of convert: has to be one of "word_count", "trim"'],
    ],
    [
      'each literal that is too long or too small',
      'call: convert, input: { operation: trim, text: longer, options: { value: { count: 0 } } }',
      [
        '5:61 input of convert: Too big: expected string to have <=5 characters',
        '5:96 input of convert: Too small: expected number to be >=1',
      ],
    ],
    [
      'a missing field once, with another fault beside it',
      'call: convert, input: { text: longer }',
      [
        '5:36 input of convert: operation is missing',
        '5:44 input of convert: Too big: expected string to have <=5 characters',
      ],
    ],
    [
      'a constant that no alternative has, beside a reference',
      'call: order, input: { by: size, name: { from: input.name } }',
      ['5:40 input of order: has to be one of "name", "number"'],
    ],
    [
      'a field that belongs to another alternative',
      'call: order, input: { by: name, number: 5 }',
      expect.arrayContaining(['5:34 input of order: name is required']),
    ],
    [
      'the input of a fallback',
      'call: lookup, input: { item: x }, onError: { fallback: { call: convert, input: { operation: words, text: a } } }',
      ['5:106 input of convert: has to be one of "word_count", "trim"'],
    ],
  ])('%s is reported where it stands', async (_title, step, faults) => {
    expect(await check(`  - { id: a, ${step} }`)).toEqual(faults);
  });

  it.each([
    'call: convert, input: { operation: trim, text: hello }',
    'call: convert, input: { operation: { from: input.way }, text: { from: input.text } }',
    'call: convert, input: { operation: { cel: "input.way" }, text: longer than five }',
    'call: order, input: { by: number, number: { from: input.n } }',
    'call: order, input: { by: name, name: x }',
  ])('%s has no fault that is certain before the run', async (step) => {
    expect(await check(`  - { id: a, ${step} }`)).toEqual([]);
  });

  it('the input of a sub-flow that its schema refuses is reported', async () => {
    expect(await check('  - { id: a, flow: inner@1.0.0, input: { n: 4 } }')).toEqual([
      '5:45 input of inner@1.0.0: must be >= 5',
    ]);
  });

  it('a path that never leads to a value that the next tool takes is reported', async () => {
    const step = '  - { id: a, call: convert, input: { operation: { from: input.way }, text: a } }';
    expect(
      await check(step, '{ type: object, properties: { way: { enum: [up, down] } } }'),
    ).toEqual([expect.stringContaining('input.way is never one of "word_count", "trim"')]);
  });
});

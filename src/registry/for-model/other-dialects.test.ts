import { describe, expect, it } from 'vitest';
import { defineTool } from '../../contract/define-tool.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import { anthropicTool } from './anthropic.ts';
import type { Shown } from './definition.ts';
import { geminiTool } from './gemini.ts';
import { mcpTool } from './mcp.ts';

const shown = (input: JsonSchema, more: Partial<ToolDefinition<unknown, unknown>> = {}): Shown => ({
  tool: defineTool({
    name: 'a',
    description: 'Does it.',
    tier: 'read_only',
    input,
    run: () => 1,
    ...more,
  }),
  wireName: 'a',
  input,
  output: more.output as JsonSchema | undefined,
});
const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

describe('anthropicTool', () => {
  it('sends the schema unchanged', () => {
    const input = object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: { not: { type: 'null' } } } });
    expect(anthropicTool(shown(input))).toEqual({
      definition: { name: 'a', description: 'Does it.', input_schema: input },
      losses: [],
    });
  });

  it('takes combinations from the root, which the API refuses, and keeps the fields', () => {
    const input = object(
      { from: {}, to: {} },
      { anyOf: [{ required: ['from'] }, { required: ['to'] }] },
    );
    const { definition, losses } = anthropicTool(shown(input));
    expect(definition?.input_schema).toEqual(object({ from: {}, to: {} }));
    expect(losses).toEqual([{ path: '', lost: 'anyOf' }]);
  });

  it('says draft-07 in the words of 2020-12', () => {
    const input = object(
      {
        pair: { items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
        items: { const: { items: [1], dependencies: {} } },
      },
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        dependencies: { pair: ['items'], items: { required: ['pair'] } },
      },
    );
    expect(anthropicTool(shown(input)).definition?.input_schema).toEqual(
      object(
        {
          pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
          items: { const: { items: [1], dependencies: {} } },
        },
        {
          dependentRequired: { pair: ['items'] },
          dependentSchemas: { items: { required: ['pair'] } },
        },
      ),
    );
  });

  it('leaves out a field whose name the API refuses, or the tool where it is required', () => {
    const fields = object({ ok: {}, 'not ok': {} });
    const path = '/properties/not ok';
    expect(anthropicTool(shown(fields))).toMatchObject({
      definition: { input_schema: { properties: { ok: {} } } },
      losses: [{ path, lost: 'properties' }],
    });
    const needed = anthropicTool(shown({ ...fields, required: ['not ok'] }));
    expect(needed).toEqual({ losses: [{ path, lost: 'properties' }] });
  });

  it('gives up on a root that only refers to itself', () => {
    expect(anthropicTool(shown({ $ref: '#' })).definition).toBeUndefined();
    const round = {
      $ref: '#/$defs/a',
      $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
    };
    expect(anthropicTool(shown(round))).toEqual({ losses: [{ path: '', lost: '$ref' }] });
  });
});

describe('geminiTool', () => {
  it('keeps the fields behind a reference that has other fields beside it', () => {
    const cat = object(
      { kind: { type: 'string' }, lives: { type: 'integer' } },
      { required: ['lives'] },
    );
    const beside = { properties: { kind: { const: 'cat' } }, required: ['kind'] };
    const bound = { $ref: '#/$defs/cat', ...beside };
    const whole = object(
      { kind: { type: 'string', enum: ['cat'] }, lives: { type: 'integer' } },
      { required: ['lives', 'kind'] },
    );
    const inField = object({ pet: bound }, { $defs: { cat } });
    expect(geminiTool(shown(inField)).definition).toMatchObject({
      parameters: { properties: { pet: whole } },
    });
    const atRoot = { ...bound, $defs: { cat } } as JsonSchema;
    expect(geminiTool(shown(atRoot)).definition).toMatchObject({ parameters: whole });
  });

  it('leaves a tool out whose name begins with a digit: all others would be refused with it', () => {
    const named = (wireName: string) => geminiTool({ ...shown(object({})), wireName });
    expect(named('2fa')).toEqual({ losses: [{ path: '', lost: 'name' }] });
    expect(named('_2fa').definition).toMatchObject({ name: '_2fa' });
  });

  const convert = (field: JsonSchema, more: JsonSchema = {}) => {
    const { definition, losses } = geminiTool(shown(object({ x: field }, more)));
    const parameters = definition?.parameters as
      | { properties: Record<string, unknown> }
      | undefined;
    return { x: parameters?.properties.x, losses };
  };
  const lost = (...keywords: readonly string[]) =>
    keywords.map((keyword) => ({ path: '/properties/x', lost: keyword }));

  it.each<[string, JsonSchema, unknown, readonly string[]]>([
    ['const', { const: 'a' }, { type: 'string', enum: ['a'] }, []],
    ['a number as const', { const: 3 }, { type: 'integer' }, ['const']],
    ['several types', { type: ['string', 'null'] }, { type: 'string', nullable: true }, []],
    [
      'an enum with null',
      { enum: ['a', null] },
      { type: 'string', enum: ['a'], nullable: true },
      [],
    ],
    ['numbers as enum', { enum: [1, 2] }, { type: 'integer' }, ['enum']],
    [
      'two types',
      { type: ['string', 'number'] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
      [],
    ],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
      { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      ['oneOf'],
    ],
    [
      'anyOf with null',
      { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'D' },
      { type: 'string', nullable: true, description: 'D' },
      [],
    ],
    [
      'formats',
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
      [],
    ],
    [
      'other formats',
      { type: 'string', format: 'email', minLength: 1 },
      { type: 'string', minLength: 1 },
      ['format'],
    ],
    [
      'an exclusive bound of an integer',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
      { type: 'integer', minimum: 1, maximum: 9 },
      [],
    ],
    [
      'an exclusive bound',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number' },
      ['exclusiveMinimum'],
    ],
    [
      'a closed object',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        additionalProperties: false,
        required: ['a', 'ghost'],
      },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      ['additionalProperties'],
    ],
    ['any value', { description: 'D' }, { type: 'string', description: 'D' }, ['type']],
    ['allOf', { allOf: [{ type: 'string' }], maxLength: 3 }, { type: 'string', maxLength: 3 }, []],
    [
      'a list',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { type: 'array', items: { type: 'string' } },
      ['uniqueItems'],
    ],
  ])('translates %s and lists what is lost', (_name, schema, expected, losses) => {
    expect(convert(schema)).toEqual({ x: expected, losses: lost(...losses) });
  });

  it('turns a tuple into a list and warns', () => {
    const { x, losses } = convert({
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'number' }],
    });
    expect(x).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    });
    expect(losses).toEqual(lost('prefixItems'));
  });

  it('writes references out, and cuts them where they come round', () => {
    const node = object({ name: { type: 'string' }, next: { $ref: '#/$defs/node' } });
    const { x, losses } = convert({ $ref: '#/$defs/node', description: 'D' }, { $defs: { node } });
    expect(x).toEqual({
      type: 'object',
      description: 'D',
      properties: { name: { type: 'string' }, next: { type: 'object' } },
    });
    expect(losses).toEqual([{ path: '/properties/x/properties/next', lost: '$ref' }]);
  });

  it('cuts an allOf that comes round', () => {
    const node = object({ not: { allOf: [{ $ref: '#/$defs/node' }] }, name: { type: 'string' } });
    const { x, losses } = convert({ allOf: [{ $ref: '#/$defs/node' }] }, { $defs: { node } });
    expect(x).toEqual({
      type: 'object',
      properties: { not: { type: 'object' }, name: { type: 'string' } },
    });
    expect(losses).toEqual([{ path: '/properties/x/properties/not', lost: '$ref' }]);
  });

  it('keeps items of a list that comes round, also one that may be null', () => {
    const tree = { type: ['null', 'array'], items: { $ref: '#/$defs/tree' } };
    const { x } = convert({ $ref: '#/$defs/tree' }, { $defs: { tree } });
    const inner = { type: 'array', items: { type: 'object' } };
    expect(x).toEqual({ type: 'array', items: inner, nullable: true });
  });

  it('says a union of nothing but null as a value that may be null', () => {
    const { x } = convert({ anyOf: [{ type: 'null' }], description: 'D' });
    expect(x).toEqual({ type: 'string', description: 'D', nullable: true });
  });

  it('threat: does not grow without end on references that double', () => {
    const $defs: Record<string, unknown> = { a30: { type: 'string' } };
    for (let at = 0; at < 30; at += 1) {
      const next = { $ref: `#/$defs/a${at + 1}` };
      $defs[`a${at}`] = object({ l: next, r: next });
    }
    const { x, losses } = convert({ $ref: '#/$defs/a0' }, { $defs });
    expect(JSON.stringify(x).length).toBeLessThan(1_000_000);
    expect(losses.every(({ lost: keyword }) => keyword === '$ref')).toBe(true);
  });

  it('has no parameters when the tool has none', () => {
    expect(geminiTool(shown({ type: 'object' }))).toEqual({
      definition: { name: 'a', description: 'Does it.' },
      losses: [],
    });
  });
});

describe('mcpTool', () => {
  it('passes schemas through and derives hints from the tier and the capabilities', () => {
    const input = object({ a: { oneOf: [{}, object({ b: {} })] } });
    const output = object({ n: { type: 'number' } });
    const { definition, losses } = mcpTool(shown(input, { output, tier: 'write' }));
    expect(losses).toEqual([]);
    expect(definition).toEqual({
      name: 'a',
      description: 'Does it.',
      inputSchema: input,
      outputSchema: output,
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    });
  });

  it.each<[Partial<ToolDefinition<unknown, unknown>>, object]>([
    [{ tier: 'read_only' }, { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
    [
      {
        tier: 'write',
        idempotent: true,
        capabilities: [{ action: 'x', description: '', destructive: true }],
      },
      { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    ],
    [{ tier: 'external_api' }, { openWorldHint: true }],
    [{ tier: 'read_only', needs: { hosts: ['a.example'] } }, { openWorldHint: true }],
  ])('hints for %j', (more, hints) => {
    expect(mcpTool(shown({ type: 'object' }, more)).definition?.annotations).toMatchObject(hints);
  });

  it('leaves out an output that is not an object, and a tool whose input is not one', () => {
    const { definition, losses } = mcpTool(
      shown({ type: 'object' }, { output: { type: 'string' } }),
    );
    expect(definition).not.toHaveProperty('outputSchema');
    expect(losses).toEqual([{ path: '', lost: 'outputSchema' }]);
    expect(mcpTool(shown({ type: 'array' }))).toEqual({ losses: [{ path: '', lost: 'type' }] });
  });
});

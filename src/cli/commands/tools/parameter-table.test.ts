import { describe, expect, it } from 'vitest';
import { parametersOf } from './parameter-table.ts';

describe('parametersOf', () => {
  it('lists name, type, whether required, and description', () => {
    const rows = parametersOf({
      type: 'object',
      required: ['path'],
      properties: {
        path: { type: 'string', description: 'Where.', minLength: 1 },
        mode: { enum: ['a', 'b'], default: 'a' },
        count: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        tags: { type: 'array', items: { type: 'string' } },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        any: {},
      },
    });
    expect(rows).toEqual([
      { name: 'path', type: 'string', required: true, description: 'Where. (length ≥ 1)' },
      { name: 'mode', type: '"a" | "b"', required: false, description: '(default "a")' },
      { name: 'count', type: 'integer', required: false, description: '(≥ 0)' },
      { name: 'tags', type: 'string[]', required: false, description: '' },
      { name: 'either', type: 'string | null', required: false, description: '' },
      { name: 'any', type: 'any', required: false, description: '' },
    ]);
  });

  it('lists fields of objects, lists, references and unions', () => {
    const rows = parametersOf({
      anyOf: [
        { properties: { op: { const: 'read' } } },
        { properties: { to: { $ref: '#/$defs/T' } } },
      ],
      $defs: { T: { type: 'object', properties: { x: { type: 'number' } } } },
      properties: { list: { type: 'array', items: { properties: { y: { type: 'boolean' } } } } },
    });
    expect(rows.map(({ name }) => name)).toEqual(['list', 'list[].y', 'op', 'to', 'to.x']);
  });

  it('ends for a schema that contains itself', () => {
    const rows = parametersOf({ properties: { child: { $ref: '#' } } });
    expect(rows.length).toBeLessThan(10);
    const lists = parametersOf({
      properties: { value: { $ref: '#/$defs/V' } },
      $defs: {
        V: { anyOf: [{ type: 'number' }, { type: 'array', items: { $ref: '#/$defs/V' } }] },
      },
    });
    expect(lists.map(({ type }) => type)).toEqual(['number | (number | array)[]']);
  });
});

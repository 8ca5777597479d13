/**
 * Turns JSON Schema into the text of a TypeScript type. What a type cannot express is left out or written
 * in a comment; what is not understood is `unknown`. References become named types, so that recursive
 * schemas end.
 */
import type { JsonSchema } from '../../contract/schema.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { docComment } from './doc-comment.ts';

const MAX_DEPTH = 24;
const MAX_NODES = 5_000;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const listOf = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const unique = (types: readonly string[], glue: ' | ' | ' & '): string => {
  const all = [...new Set(types)];
  if (all.length <= 1) return all[0] ?? 'unknown';
  return all.map((type) => (/[|&]|=>/.test(type) ? `(${type})` : type)).join(glue);
};

const literal = (value: unknown): string =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
    ? JSON.stringify(value)
    : 'unknown';

const pointerSteps = (ref: string): readonly string[] =>
  decodeURIComponent(ref.slice(1))
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

export class SchemaTypes {
  /** Declarations of the named types that references made. */
  readonly named = new Map<string, string>();
  readonly #root: JsonSchema;
  readonly #prefix: string;
  readonly #names = new Map<string, string>();
  #nodes = 0;

  constructor(root: JsonSchema, prefix: string) {
    this.#root = root;
    this.#prefix = prefix;
  }

  typeOf(schema: unknown, depth = 0): string {
    this.#nodes += 1;
    if (schema === false) return 'never';
    if (!isRecord(schema) || depth > MAX_DEPTH || this.#nodes > MAX_NODES) return 'unknown';
    const ref = ownValue(schema, '$ref');
    if (typeof ref === 'string') return this.#reference(ref);
    const parts = [...this.#base(schema, depth), ...this.#combined(schema, depth)];
    const type = unique(parts, ' & ');
    return ownValue(schema, 'nullable') === true ? unique([type, 'null'], ' | ') : type;
  }

  #base(schema: JsonSchema, depth: number): readonly string[] {
    if (Object.hasOwn(schema, 'const')) return [literal(schema.const)];
    const values = listOf(ownValue(schema, 'enum'));
    if (values) return [unique(values.map(literal), ' | ')];
    const type = ownValue(schema, 'type');
    if (Array.isArray(type)) {
      return [
        unique(
          type.map((each) => this.#ofType(each, schema, depth)),
          ' | ',
        ),
      ];
    }
    if (typeof type === 'string') return [this.#ofType(type, schema, depth)];
    if (isRecord(ownValue(schema, 'properties'))) return [this.#object(schema, depth)];
    return ownValue(schema, 'items') !== undefined ? [this.#array(schema, depth)] : [];
  }

  #combined(schema: JsonSchema, depth: number): readonly string[] {
    const types = (keyword: string, glue: ' | ' | ' & '): readonly string[] => {
      const parts = listOf(ownValue(schema, keyword));
      return parts
        ? [
            unique(
              parts.map((part) => this.typeOf(part, depth + 1)),
              glue,
            ),
          ]
        : [];
    };
    const combined = [...types('allOf', ' & '), ...types('anyOf', ' | '), ...types('oneOf', ' | ')];
    // A part that only adds conditions, such as `required`, has no type.
    return combined.filter((type) => type !== 'unknown');
  }

  #ofType(type: unknown, schema: JsonSchema, depth: number): string {
    if (type === 'object') return this.#object(schema, depth);
    if (type === 'array') return this.#array(schema, depth);
    return typeof type === 'string' && Object.hasOwn(PRIMITIVES, type)
      ? (PRIMITIVES[type] ?? 'unknown')
      : 'unknown';
  }

  #array(schema: JsonSchema, depth: number): string {
    const items = ownValue(schema, 'items');
    const first = listOf(ownValue(schema, 'prefixItems')) ?? listOf(items);
    if (!first) return `Array<${this.typeOf(items ?? {}, depth + 1)}>`;
    const rest = Array.isArray(items) ? ownValue(schema, 'additionalItems') : items;
    const types = first.map((each) => this.typeOf(each, depth + 1));
    const more = rest === false ? [] : [`...Array<${this.typeOf(rest ?? {}, depth + 1)}>`];
    return `[${[...types, ...more].join(', ')}]`;
  }

  #object(schema: JsonSchema, depth: number): string {
    const declared = ownValue(schema, 'properties');
    const properties = isRecord(declared) ? Object.entries(declared) : [];
    const additional = ownValue(schema, 'additionalProperties');
    if (properties.length === 0) {
      if (additional === false) return 'Record<string, never>';
      return `Record<string, ${this.typeOf(additional ?? {}, depth + 1)}>`;
    }
    const required = listOf(ownValue(schema, 'required')) ?? [];
    const indent = '  '.repeat(depth + 1);
    const lines = properties.map(([name, value]) => {
      const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
      const mark = required.includes(name) ? '' : '?';
      const comment = isRecord(value) ? docComment(value, indent) : '';
      return `${comment}${indent}${key}${mark}: ${this.typeOf(value, depth + 1)};`;
    });
    const isOpen = additional === true || isRecord(additional);
    if (isOpen || ownValue(schema, 'patternProperties'))
      lines.push(`${indent}[key: string]: unknown;`);
    return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
  }

  /** Names the type of a reference. The name is registered first, so that a schema can refer to itself. */
  #reference(ref: string): string {
    const cached = this.#names.get(ref);
    if (cached !== undefined) return cached;
    const target = this.#resolve(ref);
    if (target === undefined) return 'unknown';
    const name = this.#nameFor(ref);
    this.#names.set(ref, name);
    this.named.set(name, '');
    this.named.set(name, `type ${name} = ${this.typeOf(target)};`);
    return name;
  }

  #nameFor(ref: string): string {
    const last = (pointerSteps(ref).at(-1) ?? 'Root').replaceAll(/\W/g, '_') || 'Root';
    const plain = `${this.#prefix}_${last}`;
    let name = plain;
    for (let number = 2; this.named.has(name); number += 1) name = `${plain}_${number}`;
    return name;
  }

  /** Resolves a reference within the schema; others are not followed. */
  #resolve(ref: string): unknown {
    if (ref === '#') return this.#root;
    if (!ref.startsWith('#/')) return undefined;
    let at: unknown = this.#root;
    for (const step of pointerSteps(ref)) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
      at = (at as Record<string, unknown>)[step];
    }
    return at;
  }
}

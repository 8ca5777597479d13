/**
 * Finds the fields that are for the other side only: those that only the server sets (`readOnly`), in a
 * request, or never shows (`writeOnly`), in a response.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Fields } from '../operations/definition.ts';
import type { Located, Resolver } from '../operations/resolver.ts';
import type { Side } from './side.ts';

const MAX_DEPTH = 10;
const MAX_SCHEMAS = 100;
const MAX_PROPERTIES = 1_000;

const MARKS: Readonly<Record<Side, string>> = { request: 'readOnly', response: 'writeOnly' };

export class OtherSide {
  readonly #mark: string;
  readonly #resolver: Resolver;
  /** The marked fields of single schemas: many may take in one large base. */
  readonly #marked = new WeakMap<object, readonly string[]>();

  constructor(side: Side, resolver: Resolver) {
    this.#mark = MARKS[side];
    this.#resolver = resolver;
  }

  /** Tells whether a field is marked: beside its reference, in what that leads to, or in a part of `allOf`. */
  has(field: Located): boolean {
    if (this.#isMarked(field)) return true;
    const { value, address } = this.#resolver.fields(field) ?? field;
    const { allOf } = isRecord(value) ? value : {};
    return (
      Array.isArray(allOf) &&
      allOf
        .slice(0, MAX_DEPTH)
        .some((part) => this.#isMarked({ value: part, address, pointer: '' }))
    );
  }

  /** Collects the marked fields of a schema, through references and `allOf`. */
  fieldsOf(schema: Located): ReadonlySet<string> {
    const names = new Set<string>();
    const seen = new Set<unknown>();
    const visit = (part: Located, depth: number): void => {
      const resolved = depth > MAX_DEPTH ? undefined : this.#resolver.fields(part);
      if (!resolved || seen.has(resolved.value) || seen.size >= MAX_SCHEMAS) return;
      seen.add(resolved.value);
      for (const name of this.#ownFields(resolved)) names.add(name);
      const { value, address } = resolved;
      const parts: readonly unknown[] = Array.isArray(value.allOf) ? value.allOf : [];
      for (const inner of parts.slice(0, MAX_SCHEMAS)) {
        visit({ value: inner, address, pointer: '' }, depth + 1);
      }
    };
    visit(schema, 0);
    return names;
  }

  /** Lists the marked fields that a schema has itself. */
  #ownFields({ value, address }: Located & { readonly value: Fields }): readonly string[] {
    const before = this.#marked.get(value);
    if (before) return before;
    const { properties } = value;
    const names = Object.keys(isRecord(properties) ? properties : {})
      .slice(0, MAX_PROPERTIES)
      .filter((name) => this.has({ value: (properties as Fields)[name], address, pointer: '' }));
    this.#marked.set(value, names);
    return names;
  }

  #isMarked(part: Located): boolean {
    if (isRecord(part.value) && part.value[this.#mark] === true) return true;
    return this.#resolver.fields(part)?.value[this.#mark] === true;
  }
}

/** Leaves fields out of an object: they are neither described nor required. */
export const withoutFields = (schema: JsonSchema, names: ReadonlySet<string>): JsonSchema => {
  if (names.size === 0) return schema;
  const { properties, required, ...rest } = schema;
  const members = isRecord(properties)
    ? Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)))
    : undefined;
  const stillRequired = ((required ?? []) as readonly string[]).filter((name) => !names.has(name));
  return {
    ...rest,
    ...(members && { properties: members }),
    ...(stillRequired.length > 0 && { required: stillRequired }),
  };
};

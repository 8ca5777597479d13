/**
 * Merges the parts of an `allOf` into one schema as far as nothing is lost. Parts that are more than
 * objects with fields stay in `allOf`.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { canonicalJson } from '../../../kit/data/canonical-json.ts';
import { isRecord } from '../../../kit/data/is-record.ts';

const MERGED: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'description']);

const isOpen = (value: unknown): boolean =>
  value === true || (isRecord(value) && Object.keys(value).length === 0);

/** Tells whether a schema is an object with fields and nothing else. */
const isPlainObject = (part: JsonSchema): boolean =>
  (part.type === undefined || part.type === 'object') &&
  Object.entries(part).every(
    ([key, value]) => MERGED.has(key) || (key === 'additionalProperties' && isOpen(value)),
  );

/** Collects what the parts say of one field, each schema once. */
class Described {
  readonly #schemas: unknown[];
  readonly #texts = new Set<string>();

  constructor(schema: unknown) {
    this.#schemas = [schema];
  }

  add(schema: unknown): void {
    const [first] = this.#schemas;
    if (schema === first) return;
    if (this.#texts.size === 0) this.#texts.add(canonicalJson(first));
    const text = canonicalJson(schema);
    if (!this.#texts.has(text)) this.#schemas.push(schema);
    this.#texts.add(text);
  }

  get schema(): unknown {
    return this.#schemas.length === 1 ? this.#schemas[0] : { allOf: this.#schemas };
  }
}

class Merged {
  readonly #properties = new Map<string, Described>();
  readonly #required = new Set<string>();
  #description: unknown = undefined;
  #isObject = false;

  add({ type, properties, required, description }: JsonSchema): void {
    this.#isObject ||= type === 'object' || properties !== undefined;
    this.#description ??= description;
    for (const name of (required ?? []) as readonly string[]) this.#required.add(name);
    for (const [name, schema] of Object.entries(properties ?? {})) {
      const described = this.#properties.get(name);
      if (described) described.add(schema);
      else this.#properties.set(name, new Described(schema));
    }
  }

  get schema(): Record<string, unknown> {
    const properties = [...this.#properties].map(([name, { schema }]) => [name, schema] as const);
    return {
      ...(this.#isObject && { type: 'object' }),
      ...(this.#description !== undefined && { description: this.#description }),
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(this.#required.size > 0 && { required: [...this.#required] }),
    };
  }
}

/**
 * Merges the parts of `allOf` into one schema. `own` are the keywords beside `allOf`; `parts` may still be
 * references, which stay.
 */
export const mergeAllOf = (own: JsonSchema, parts: readonly JsonSchema[]): JsonSchema => {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    const others = Object.keys(own).filter((key) => key !== 'description');
    if (others.length === 0) return { ...only, ...own };
  }
  const isMergeable = isPlainObject(own);
  const merged = new Merged();
  if (isMergeable) merged.add(own);
  const rest = parts.filter((part) => {
    if (!isPlainObject(part)) return true;
    merged.add(part);
    return false;
  });
  if (!isMergeable) {
    const { schema } = merged;
    const all = Object.keys(schema).length > 0 ? [schema, ...rest] : rest;
    return all.length > 0 ? { ...own, allOf: all } : own;
  }
  return rest.length > 0 ? { ...merged.schema, allOf: rest } : merged.schema;
};

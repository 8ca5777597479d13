/**
 * The component schemas of a source, each converted once, when a tool first reaches it. All tools share
 * the converted objects: a tool's schema refers to them by name and holds no copies.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { sha256Hex } from '../../../kit/data/canonical-json.ts';
import { isObject } from '../../../kit/data/is-record.ts';
import type { Located, Resolver } from '../operations/resolver.ts';
import { addressFrom } from '../read/document-address.ts';
import { convertSchema } from './convert-schema.ts';
import type { Components, Converted } from './converted.ts';
import { OtherSide } from './other-side.ts';
import { Recursion } from './recursion.ts';
import type { Side } from './side.ts';

interface Component {
  readonly located: Located;
  readonly converted: Partial<Record<Side, Sized>>;
}

interface Sized extends Converted {
  readonly size: number;
}

/** Objects, lists and keywords of one schema; a larger one is neither compiled nor read by a model. */
const MAX_SIZE: Readonly<Record<Side, number>> = { request: 4_000, response: 6_000 };
const MAX_COUNTED = 10_000;
/** A larger component stays a reference where it could be merged. */
const MAX_MERGED = 1_000;
/** Components that are put into each other: more would not compile, and could end the stack. */
const MAX_NESTED = 30;
/** Components that lead to each other one after the other: the compiler follows them in its stack. */
const MAX_STEPS = 100;
const MAX_NAME = 50;
const LEFT_OUT: JsonSchema = { description: 'Not described: the schema is too large.' };

const POINTER = /^\/(?:components\/schemas|definitions)\/([A-Za-z0-9_.-]{1,50})$/;

/** Counts what a schema is made of, up to a limit: shared parts may make it endless. */
const sizeOf = (schema: unknown): number => {
  let size = 0;
  const open: unknown[] = [schema];
  while (open.length > 0 && size < MAX_COUNTED) {
    const node = open.pop();
    size += 1;
    if (isObject(node)) for (const value of Object.values(node)) open.push(value);
  }
  return size;
};

export class SchemaBook implements Components {
  readonly resolver: Resolver;
  readonly #components = new Map<string, Component>();
  readonly #running = new Set<string>();
  readonly #recursion: Recursion;
  readonly #otherSides: Readonly<Record<Side, OtherSide>>;

  constructor(resolver: Resolver) {
    this.resolver = resolver;
    this.#recursion = new Recursion(resolver);
    this.#otherSides = {
      request: new OtherSide('request', resolver),
      response: new OtherSide('response', resolver),
    };
  }

  otherSide(side: Side): OtherSide {
    return this.#otherSides[side];
  }

  isRecursive(schema: Located): boolean {
    return this.#recursion.has(schema);
  }

  /** Converts a schema of an operation. */
  convert(located: Located, side: Side): Converted {
    return convertSchema(located, side, this);
  }

  /** Gives the name of what a reference leads to; `undefined` where it leads nowhere. */
  nameOf(reference: string, address: string): string | undefined {
    const target = this.resolver.target(reference, address);
    const located = target && this.resolver.resolve(target);
    if (!located) return undefined;
    const name = this.#nameOf(located);
    if (!this.#components.has(name)) this.#components.set(name, { located, converted: {} });
    return name;
  }

  /**
   * Names a component by its place in the document alone, so that the name stays the same when the document is
   * moved or renamed: the lock pins it.
   */
  #nameOf({ address, pointer }: Located): string {
    const { rootAddress } = this.resolver;
    const plain = address === rootAddress ? POINTER.exec(pointer)?.[1] : undefined;
    if (plain !== undefined) return plain;
    const from = addressFrom(rootAddress, address);
    const last = (pointer === '' ? from : pointer).split('/').at(-1);
    const base = (last || 'document').replaceAll(/[^A-Za-z0-9_.-]+/g, '_').slice(0, MAX_NAME);
    return `${base}_${sha256Hex(`${from}#${pointer}`).slice(0, 8)}`;
  }

  /** Gives the raw schema behind a name. */
  located(name: string): Located | undefined {
    return this.#components.get(name)?.located;
  }

  /** Gives a component; `undefined` while it is being converted, which a circle of `allOf` causes, or too deep. */
  component(name: string, side: Side): Sized | undefined {
    const component = this.#components.get(name);
    if (!component) return undefined;
    const ready = component.converted[side];
    if (ready) return ready;
    const key = `${side} ${name}`;
    if (this.#running.has(key) || this.#running.size >= MAX_NESTED) return undefined;
    this.#running.add(key);
    try {
      const converted = this.convert(component.located, side);
      const sized = { ...converted, size: sizeOf(converted.schema) };
      component.converted[side] = sized;
      return sized;
    } finally {
      this.#running.delete(key);
    }
  }

  /** Gives a component that is small enough to be put in the place of a reference. */
  mergeable(name: string, side: Side): Converted | undefined {
    const component = this.component(name, side);
    return component && component.size <= MAX_MERGED ? component : undefined;
  }

  whole(name: string, side: Side): JsonSchema | undefined {
    return this.component(name, side)?.schema;
  }

  /** Leaves out a schema that is too large by itself. */
  bounded(converted: Converted, side: Side): Converted {
    return sizeOf(converted.schema) > MAX_SIZE[side] / 2
      ? { schema: LEFT_OUT, names: new Set() }
      : converted;
  }

  /** Adds the components that a schema reaches, nearest first, as far as the size allows. */
  assemble({ schema, names }: Converted, side: Side): JsonSchema {
    if (names.size === 0) return schema;
    // The fields of an operation always stay.
    let left = MAX_SIZE[side] - sizeOf(schema);
    const definitions = new Map<string, JsonSchema>();
    const waiting = [...names].map((name) => ({ name, steps: 1 }));
    for (const { name, steps } of waiting) {
      if (definitions.has(name)) continue;
      const component = steps > MAX_STEPS ? undefined : this.component(name, side);
      if (!component || component.size > left) {
        definitions.set(name, LEFT_OUT);
        continue;
      }
      left -= component.size;
      definitions.set(name, component.schema);
      for (const inner of component.names) {
        if (!definitions.has(inner)) waiting.push({ name: inner, steps: steps + 1 });
      }
    }
    const sorted = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...schema, $defs: Object.fromEntries(sorted) };
  }
}

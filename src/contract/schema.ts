/**
 * The neutral schema: it validates and it yields JSON Schema. Tools may give a Zod schema or a JSON
 * Schema; the registry compiles either into this once, and nothing downstream knows the difference.
 */
import type { Issue } from './errors.ts';

/** A JSON Schema document of draft-04 to 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export interface Schema<T = unknown> {
  /**
   * Checks a value: all issues at once, defaults applied. Never throws, never changes the value
   * given.
   */
  validate(value: unknown): Validation<T>;
  /** The shape as JSON Schema, as a model or an editor sees it. */
  readonly json: JsonSchema;
}

/** The part of a Zod 4 schema that the contract relies on, so that it needs no import of Zod. */
export interface ZodSchemaLike<T = unknown> {
  readonly _zod: { readonly output: T; readonly def: unknown };
  safeParse(value: unknown): unknown;
}

/** What a tool may declare as `input` or `output`. */
export type SchemaSource<T = unknown> = ZodSchemaLike<T> | JsonSchema;

/** The same, made when somebody first asks: a listing of tools needs no schemas. */
export type LazySchema<T = unknown> = SchemaSource<T> | (() => SchemaSource<T>);

/**
 * The types that schemas stand for: of a Zod schema what it says itself, of a JSON Schema literal
 * what its keywords say. What cannot be expressed is `unknown`, never `any`.
 */
import type { ZodSchemaLike } from './schema.ts';

/** What a caller may pass: fields with a default may be missing. */
export type AcceptedBy<S> = S extends () => infer Made
  ? AcceptedBy<Made>
  : S extends { readonly _zod: { readonly input: infer I } }
    ? I
    : S extends ZodSchemaLike<infer T>
      ? T
      : FromJsonSchema<S>;

/** What `run` gets: the input as the schema made it, with defaults filled in. */
export type ParsedBy<S> = S extends () => infer Made
  ? ParsedBy<Made>
  : S extends ZodSchemaLike<infer T>
    ? T
    : FromJsonSchema<S>;

/** The type of the values that a JSON Schema literal allows. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Each)[] }
      ? OneOf<Each>
      : S extends { readonly oneOf: readonly (infer Each)[] }
        ? OneOf<Each>
        : S extends { readonly allOf: readonly (infer Each)[] }
          ? AllOf<Each>
          : S extends { readonly type: infer Name }
            ? OrNull<S, FromType<Name, S>>
            : S extends { readonly properties: object }
              ? FromObject<S>
              : unknown;

/** Distributes over the alternatives. */
type OneOf<Each> = Each extends unknown ? FromJsonSchema<Each> : never;

/** Turns the union of the parts into their intersection, by way of a parameter's position. */
type AllOf<Each> = (Each extends unknown ? (part: FromJsonSchema<Each>) => void : never) extends (
  part: infer All,
) => void
  ? All
  : unknown;

type OrNull<S, T> = S extends { readonly nullable: true } ? T | null : T;

/** Distributes over the names, where `type` is a list of them. */
type FromType<Name, S> = Name extends readonly (infer One)[]
  ? FromType<One, S>
  : Name extends 'string'
    ? string
    : Name extends 'number' | 'integer'
      ? number
      : Name extends 'boolean'
        ? boolean
        : Name extends 'null'
          ? null
          : Name extends 'array'
            ? FromArray<S>
            : Name extends 'object'
              ? FromObject<S>
              : unknown;

type FromArray<S> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? { readonly [Index in keyof Items]: FromJsonSchema<Items[Index]> }
  : S extends { readonly items: infer Item }
    ? readonly FromJsonSchema<Item>[]
    : readonly unknown[];

type FromObject<S> = S extends { readonly properties: infer Fields }
  ? Flat<
      { readonly [Key in keyof Fields as Key & RequiredOf<S>]: FromJsonSchema<Fields[Key]> } & {
        readonly [Key in Exclude<keyof Fields, RequiredOf<S>>]?: FromJsonSchema<Fields[Key]>;
      }
    >
  : S extends { readonly additionalProperties: infer Value extends object }
    ? { readonly [key: string]: FromJsonSchema<Value> }
    : { readonly [key: string]: unknown };

type RequiredOf<S> = S extends { readonly required: readonly (infer Key)[] } ? Key : never;

/** Shows an intersection of objects as one object. */
type Flat<T> = { [Key in keyof T]: T[Key] };

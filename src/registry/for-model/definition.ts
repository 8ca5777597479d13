/** What the providers' dialects have in common: what goes in, what comes out and how a loss is told. */
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';

/** A tool as it is shown to a model. */
export interface Shown {
  readonly tool: Tool;
  readonly wireName: string;
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
}

/** Something the dialect cannot say: where, as a JSON Pointer into the schema, and which keyword. */
export interface Loss {
  readonly path: string;
  readonly lost: string;
}

export interface Defined {
  /** Absent when the provider could not take the tool at all; the losses say why. */
  readonly definition?: Record<string, unknown>;
  readonly losses: readonly Loss[];
}

/** A schema being looked at. Booleans, which are schemas too, are told apart by the caller. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** The schemas under `properties`, `$defs` and the like; nothing when there are none. */
export const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isRecord(value) ? Object.entries(value) : [];

export const stringsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** One step further down a JSON Pointer. */
export const below = (path: string, ...keys: readonly (string | number)[]): string =>
  [path, ...keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');

/** What a local reference points at; nothing for any other reference, or one that leads nowhere. */
export const follow = (root: SchemaNode, reference: unknown): SchemaNode | undefined => {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at =
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? Reflect.get(at, key)
        : undefined;
  }
  return isRecord(at) ? at : undefined;
};

const decode = (step: string): string => {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
};

/**
 * Inspects a JSON Schema before anything compiles it, because it may be hostile. Refuses schemas that
 * are too large or too deep, defaults with prototype keys, and dialects that are not supported.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { JsonSchema } from '../../contract/schema.ts';

export interface SchemaFacts {
  readonly dialect: '2020-12' | '2019-09' | 'draft-07' | 'draft-04';
  /** How many objects and arrays it is made of. */
  readonly nodes: number;
  /** Filling in defaults changes the value, so a copy has to be made first. */
  readonly hasDefaults: boolean;
  /** A reference depends on the schemas that led to it, so its target must not be inlined. */
  readonly hasDynamicReferences: boolean;
  /** It refers to the meta-schema, which is costly to load and rarely needed. */
  readonly usesMetaSchema: boolean;
}

const MAX_NODES = 5_000;
const MAX_DEPTH = 100;
const MAX_TEXT = 500_000;

const DIALECTS: readonly (readonly [RegExp, SchemaFacts['dialect']])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, 'draft-04'],
  // Draft-06 differs from draft-07 only in what it lacks.
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, 'draft-07'],
];
const META_SCHEMA = /^https?:\/\/json-schema\.org\/draft(?:-07\/schema|\/20(?:19-09|20-12)\/)/;
const DYNAMIC_REFERENCES: ReadonlySet<string> = new Set(['$dynamicRef', '$recursiveRef']);

/** Inspects a schema. Throws CONFIG_INVALID for one that is not safe to compile. */
export const inspectSchema = (schema: JsonSchema): SchemaFacts => {
  const tally: Tally = {
    nodes: 0,
    text: 0,
    hasDefaults: false,
    hasDynamicReferences: false,
    usesMetaSchema: false,
  };
  let level: readonly Node[] = [{ value: schema, isInDefault: false }];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    const inner: Node[] = [];
    for (const node of level) inspectNode(node, tally, inner);
    if (tally.nodes + inner.length > MAX_NODES) refuse(`has more than ${MAX_NODES} parts`);
    if (tally.text > MAX_TEXT) refuse(`is larger than ${MAX_TEXT} characters`);
    level = inner;
  }
  return { ...tally, dialect: dialectOf(schema.$schema) };
};

interface Tally {
  nodes: number;
  text: number;
  hasDefaults: boolean;
  hasDynamicReferences: boolean;
  usesMetaSchema: boolean;
}

interface Node {
  readonly value: object;
  readonly isInDefault: boolean;
}

const inspectNode = (node: Node, tally: Tally, inner: Node[]): void => {
  tally.nodes += 1;
  for (const [key, value] of Object.entries(node.value)) {
    const isInDefault = node.isInDefault || key === 'default';
    // A prototype key in a default would become the prototype of the value it is filled into.
    if (isInDefault && key === '__proto__') refuse('has a default with a key named __proto__');
    if (key === 'default') tally.hasDefaults = true;
    if (DYNAMIC_REFERENCES.has(key)) tally.hasDynamicReferences = true;
    tally.text += key.length;
    if (typeof value === 'string') {
      tally.text += value.length;
      if (key === '$ref' && META_SCHEMA.test(value)) tally.usesMetaSchema = true;
    } else if (typeof value === 'object' && value !== null) inner.push({ value, isInDefault });
    else if (typeof value === 'function') refuse('holds a function');
  }
};

const dialectOf = (declared: unknown): SchemaFacts['dialect'] => {
  if (declared === undefined) return '2020-12';
  const entry = DIALECTS.find(([uri]) => typeof declared === 'string' && uri.test(declared));
  return (
    entry?.[1] ??
    refuse('declares a $schema other than draft 2020-12, 2019-09, draft-07, draft-06 or draft-04')
  );
};

const refuse = (what: string): never => {
  throw new ToolFailure('CONFIG_INVALID', `The JSON Schema ${what}.`, {
    suggestions: ['Give the tool a smaller JSON Schema of draft 2020-12 or draft-07.'],
  });
};

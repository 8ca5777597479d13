/**
 * Looks a JSON Schema over before anything compiles it: it may come from a stranger. Refuses what is
 * too large or too deep, prototype keys and dialects that are not supported.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { JsonSchema } from '../../contract/schema.ts';

export interface SchemaFacts {
  readonly dialect: '2020-12' | '2019-09' | 'draft-07' | 'draft-04';
  /** How many objects and arrays it is made of. */
  readonly nodes: number;
  /** Filling in defaults changes the value, so a copy has to be made first. */
  readonly hasDefaults: boolean;
  /** It refers to the schema of schemas, which is costly to load and rarely needed. */
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

/** Throws CONFIG_INVALID for a schema that is not safe to compile. */
export const inspectSchema = (schema: JsonSchema): SchemaFacts => {
  const facts = { nodes: 0, text: 0, hasDefaults: false, usesMetaSchema: false };
  let level: readonly object[] = [schema];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    const inner: object[] = [];
    for (const node of level) look(node, facts, inner);
    if (facts.nodes + inner.length > MAX_NODES) refuse(`has more than ${MAX_NODES} parts`);
    if (facts.text > MAX_TEXT) refuse(`is larger than ${MAX_TEXT} characters`);
    level = inner;
  }
  return { ...facts, dialect: dialectOf(schema.$schema) };
};

interface Tally {
  nodes: number;
  text: number;
  hasDefaults: boolean;
  usesMetaSchema: boolean;
}

const look = (node: object, tally: Tally, inner: object[]): void => {
  tally.nodes += 1;
  for (const [key, value] of Object.entries(node)) {
    // A prototype key in a default would become the prototype of the value it is filled into.
    if (key === '__proto__') refuse('has a key named __proto__');
    if (key === 'default') tally.hasDefaults = true;
    tally.text += key.length;
    if (typeof value === 'string') {
      tally.text += value.length;
      if (key === '$ref' && META_SCHEMA.test(value)) tally.usesMetaSchema = true;
    } else if (typeof value === 'object' && value !== null) inner.push(value);
    else if (typeof value === 'function') refuse('holds a function');
  }
};

const dialectOf = (declared: unknown): SchemaFacts['dialect'] => {
  if (declared === undefined) return '2020-12';
  const found = DIALECTS.find(([uri]) => typeof declared === 'string' && uri.test(declared));
  return (
    found?.[1] ??
    refuse('declares a $schema other than draft 2020-12, 2019-09, draft-07, draft-06 or draft-04')
  );
};

const refuse = (what: string): never => {
  throw new ToolFailure('CONFIG_INVALID', `The JSON Schema ${what}.`, {
    suggestions: ['Give the tool a smaller JSON Schema of draft 2020-12 or draft-07.'],
  });
};

/**
 * Compiles a JSON Schema into the neutral `Schema`. Nothing is fetched, and the schema is not changed.
 * Each schema gets its own validator, so that no `$id` of one tool is visible to another. Import this
 * file lazily: the validator is slow to load.
 */
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ToolFailure } from '../../contract/errors.ts';
import type { JsonSchema, Schema, Validation } from '../../contract/schema.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { ajvIssues } from './ajv-issues.ts';
import { boundReferences, linearUniqueItems } from './bound-work.ts';
import { fromDraft04 } from './from-draft-04.ts';
import { inspectSchema, type SchemaFacts } from './inspect-schema.ts';
import { linearPatterns, type Pattern, type PatternCompiler } from './linear-patterns.ts';

/** Copies plain data, so that filling in defaults never changes what the caller holds. */
const copyData = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyData);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // `fromEntries` defines each key; assigning would run the setter of `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyData(member)]));
};

/**
 * Compiles a schema. Throws CONFIG_INVALID when it is broken, unsafe or refers to something outside
 * itself.
 */
export const compileJsonSchema = (schema: JsonSchema): Schema =>
  compileWith(schema, linearPatterns());

/**
 * Compiles a schema that its server checks as well: what cannot be checked safely here is left to the
 * server. Calls `onLeftOut` for each such part.
 */
export const compileForeignSchema = (
  schema: JsonSchema,
  onLeftOut: (note: string) => void,
): Schema => {
  const compilePattern = linearPatterns();
  const tolerant: PatternCompiler = (source) => {
    try {
      return compilePattern(source);
    } catch (error) {
      onLeftOut(reasonOf(error));
      return { test: () => true, toString: () => `/${source}/` };
    }
  };
  try {
    return compileWith(schema, tolerant);
  } catch (error) {
    onLeftOut(reasonOf(error));
    return { json: schema, validate: (value) => ({ ok: true, value }) };
  }
};

const compileWith = (schema: JsonSchema, compilePattern: PatternCompiler): Schema => {
  const facts = inspectSchema(schema);
  const patterns = oncePerSource(compilePattern);
  const source = facts.dialect === 'draft-04' ? fromDraft04(schema) : schema;
  const check = compileCheck(source, facts, patterns);
  if (!facts.hasDefaults) return { json: schema, validate: (value) => check(value) };
  const plainCheck = lazy(() => compileCheck(source, { ...facts, hasDefaults: false }, patterns));
  return {
    json: schema,
    validate(value) {
      const filled = check(copyData(value));
      // To JSON Schema a default is an annotation: one that breaks the schema is left out.
      return filled.ok || !plainCheck()(value).ok ? filled : { ok: true, value };
    },
  };
};

/** Compiles each pattern once, also where the schema is compiled twice. */
const oncePerSource = (compilePattern: PatternCompiler): PatternCompiler => {
  const patterns = new Map<string, Pattern>();
  return (source) => {
    const pattern = patterns.get(source) ?? compilePattern(source);
    patterns.set(source, pattern);
    return pattern;
  };
};

type Check = (value: unknown) => Validation<unknown>;

const compileCheck = (schema: JsonSchema, facts: SchemaFacts, patterns: PatternCompiler): Check => {
  const ajv = createAjv(facts, patterns);
  const budget = boundReferences(ajv, facts.nodes);
  const isValid = compile(ajv, schema);
  return (value) => {
    try {
      budget.used = 0;
      if (isValid(value)) return { ok: true, value };
      return { ok: false, issues: ajvIssues(isValid.errors ?? [], value) };
    } catch {
      // Out of steps or out of stack: the schema refers to itself without end over this value.
      const message = 'is too complex to be checked against the schema';
      return { ok: false, issues: [{ path: [], message }] };
    }
  };
};

const createAjv = (facts: SchemaFacts, patterns: PatternCompiler): Ajv => {
  const regExp = Object.assign(patterns, { code: 'linearPatterns' });
  const options: Options = {
    allErrors: true,
    // Off where only the meta-schema has defaults: they are not the tool's.
    useDefaults: facts.hasDefaults,
    strict: false,
    // `toString` is not a field that every object has.
    ownProperties: true,
    // Inlining by size would resolve a dynamic reference where it is inlined, not where it is used.
    inlineRefs: facts.hasDynamicReferences ? false : 20,
    logger: false,
    meta: facts.usesMetaSchema,
    // Each keyword checks its own value; validating against the meta-schema would cost 100 ms.
    validateSchema: false,
    // The drafts define a format as an annotation.
    validateFormats: false,
    code: { regExp },
  };
  const ajv = newAjv(facts.dialect, options);
  linearUniqueItems(ajv);
  return ajv;
};

const newAjv = (dialect: SchemaFacts['dialect'], options: Options): Ajv => {
  if (dialect === '2020-12') return new Ajv2020(options);
  return dialect === '2019-09' ? new Ajv2019(options) : new Ajv(options);
};

const compile = (ajv: Ajv, schema: JsonSchema): ValidateFunction => {
  try {
    return ajv.compile(schema);
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw refusal(error);
  }
};

const refusal = (error: unknown): ToolFailure => {
  const missing = error instanceof Error && 'missingRef' in error ? error.missingRef : undefined;
  if (typeof missing === 'string') {
    return new ToolFailure(
      'CONFIG_INVALID',
      `The JSON Schema refers to ${JSON.stringify(missing.slice(0, 200))}, which is not part of it. References are never fetched.`,
      { suggestions: ['Copy the definition into "$defs" and refer to it as "#/$defs/name".'] },
    );
  }
  const reason = reasonOf(error).slice(0, 300);
  return new ToolFailure('CONFIG_INVALID', `The JSON Schema cannot be compiled: ${reason}`, {
    suggestions: ['Correct the schema; one written for draft-07 has to say so in "$schema".'],
  });
};

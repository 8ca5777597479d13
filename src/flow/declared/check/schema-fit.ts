/**
 * Compares what a step gives with what the next one takes, as far as both schemas say. Reports only what
 * cannot work; what depends on the data is for the run to find out.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { ownValue } from '../../../kit/data/own-value.ts';
import { parseReference, type Segment } from '../../values/reference.ts';
import type { FlowPath } from '../step-tree.ts';
import { commonValues, isPlainValue, jsonType, valuesOf, valuesText } from './allowed-values.ts';
import { requiredOf, typesOf } from './simplify-schema.ts';

export interface Misfit {
  readonly path: FlowPath;
  readonly message: string;
  /** The field that is not there, where that is the fault; the path is that of the object around it. */
  readonly missing?: string;
}

/** The simplified schemas of what the paths of a value lead to; `undefined` where nobody can tell. */
export interface FlowShapes {
  readonly input: JsonSchema | undefined;
  readonly item: JsonSchema | undefined;
  stepData(id: string): JsonSchema | undefined;
  /** Adds the name that was probably meant, as long as there are not too many faults. */
  hint(name: string, names: object): string;
}

const isPlain = (schema: unknown): schema is JsonSchema => isRecord(schema);

const numbers = (type: string): string => (type === 'integer' ? 'number' : type);

/** Says that no value of one schema can be one of the other. */
const typeMisfit = (from: JsonSchema, to: JsonSchema): string | undefined => {
  const [given, taken] = [typesOf(from), typesOf(to)];
  if (!given || !taken) return undefined;
  const takes = new Set(taken.map(numbers));
  return given.some((type) => takes.has(numbers(type)))
    ? undefined
    : `gives ${given.join(' or ')}, but ${taken.join(' or ')} is needed`;
};

/** Says that a value is none of those that a schema names. */
const valueMisfit = (
  value: unknown,
  target: JsonSchema,
  { hint }: Pick<FlowShapes, 'hint'>,
): string | undefined => {
  const values = valuesOf(target);
  if (!values || !isPlainValue(value) || values.includes(value)) return undefined;
  const names = Object.fromEntries(values.map((each) => [String(each), true]));
  return `has to be ${valuesText(values)}${hint(String(value), names)}`;
};

/** What walking down a schema leads to: a schema, nothing known, or a name that cannot be there. */
type Walked = JsonSchema | undefined | { readonly missing: string };

export const isMissing = (walked: Walked): walked is { readonly missing: string } =>
  walked !== undefined && typeof walked.missing === 'string' && Object.keys(walked).length === 1;

const walk = (
  schema: JsonSchema | undefined,
  segments: readonly Segment[],
  { hint }: Pick<FlowShapes, 'hint'>,
): Walked => {
  let at: JsonSchema | undefined = schema;
  for (const segment of segments) {
    if (!isPlain(at)) return undefined;
    if (typeof segment === 'number') {
      at = isPlain(at.items) ? at.items : undefined;
      continue;
    }
    const properties = isRecord(at.properties) ? at.properties : {};
    const next = ownValue(properties, segment);
    if (next === undefined && at.additionalProperties === false) {
      return { missing: segment + hint(segment, properties) };
    }
    at = isPlain(next) ? next : undefined;
  }
  return at;
};

/** Gives the schema of a `{ from: path }`, or says which part of the path cannot be there. */
export const shapeOfPath = (text: string, shapes: FlowShapes): Walked => {
  const reference = parseReference(text);
  if (typeof reference === 'string') return undefined;
  const { root, step = '', segments } = reference;
  if (root === 'input' || root === 'item') return walk(shapes[root], segments, shapes);
  if (root !== 'steps' || segments[1] !== 'data') return undefined;
  return walk(shapes.stepData(step), segments.slice(2), shapes);
};

/** Says why a path cannot lead anywhere; nothing where nobody can tell. */
export const deadEnd = (text: string, shapes: FlowShapes): string | undefined => {
  const shape = shapeOfPath(text, shapes);
  if (shape === undefined || !isMissing(shape)) return undefined;
  return `${text} cannot be there: nothing has a field ${shape.missing}`;
};

/** Says that a path names a field that the input does not declare, though it may be there. */
export const undeclaredField = (
  text: string,
  { input, hint }: Pick<FlowShapes, 'input' | 'hint'>,
): string | undefined => {
  const reference = parseReference(text);
  if (typeof reference === 'string' || reference.root !== 'input' || !isPlain(input)) return;
  const [name] = reference.segments;
  const { properties } = input;
  if (typeof name !== 'string' || !isRecord(properties) || Object.hasOwn(properties, name)) return;
  return `${text}: the input declares no field ${name}${hint(name, properties)}`;
};

export const isForm = (spec: Readonly<Record<string, unknown>>, name: string): boolean =>
  Object.keys(spec).length === 1 && Object.hasOwn(spec, name);

class Fit {
  readonly misfits: Misfit[] = [];
  readonly #shapes: FlowShapes;

  constructor(shapes: FlowShapes) {
    this.#shapes = shapes;
  }

  check(spec: unknown, target: unknown, path: FlowPath): void {
    if (!isPlain(target)) return;
    if (Array.isArray(spec)) {
      for (const [at, each] of spec.entries()) this.check(each, target.items, [...path, at]);
      this.#typeOf(spec, target, path);
      return;
    }
    if (!isRecord(spec)) {
      this.#literal(spec, target, path);
      return;
    }
    if (isForm(spec, 'cel')) return;
    if (isForm(spec, 'from')) this.#reference(spec.from, target, [...path, 'from']);
    else if (isForm(spec, 'value')) this.#literal(spec.value, target, [...path, 'value']);
    else this.#object(spec, target, { path, check: (...part) => this.check(...part) });
  }

  #literal(value: unknown, target: JsonSchema, path: FlowPath): void {
    if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) this.#literalIn(each, target.items, [...path, at]);
    }
    if (isRecord(value)) {
      this.#object(value, target, { path, check: (...part) => this.#literalIn(...part) });
      return;
    }
    this.#typeOf(value, target, path);
  }

  #typeOf(value: unknown, target: JsonSchema, path: FlowPath): void {
    const message =
      typeMisfit({ type: jsonType(value) }, target) ?? valueMisfit(value, target, this.#shapes);
    if (message !== undefined) this.misfits.push({ path, message });
  }

  /** What is inside a literal is literal, too, even where it looks like a reference. */
  #literalIn(value: unknown, target: unknown, path: FlowPath): void {
    if (isPlain(target)) this.#literal(value, target, path);
  }

  #reference(text: unknown, target: JsonSchema, path: FlowPath): void {
    if (typeof text !== 'string') return;
    const shape = shapeOfPath(text, this.#shapes);
    if (shape === undefined) return;
    const message = isMissing(shape) ? deadEnd(text, this.#shapes) : misfitOf(shape, target);
    if (message === undefined) return;
    this.misfits.push({ path, message: isMissing(shape) ? message : `${text} ${message}` });
  }

  #object(
    spec: Readonly<Record<string, unknown>>,
    target: JsonSchema,
    { path, check }: { readonly path: FlowPath; readonly check: Fit['check'] },
  ): void {
    const message = typeMisfit({ type: 'object' }, target);
    if (message !== undefined) this.misfits.push({ path, message });
    const properties = isRecord(target.properties) ? target.properties : {};
    for (const name of requiredOf(target)) {
      if (Object.hasOwn(spec, name)) continue;
      this.misfits.push({ path, message: `${name} is missing`, missing: name });
    }
    for (const [name, each] of Object.entries(spec)) {
      const inner = ownValue(properties, name);
      if (inner !== undefined) check(each, inner, [...path, name]);
      else if (target.additionalProperties === false) {
        this.misfits.push({ path: [...path, name], message: `there is no field ${name}` });
      }
    }
  }
}

/** Says why a value of one schema never fits another: its type, or a field that cannot be there. */
export const misfitOf = (from: JsonSchema, to: JsonSchema): string | undefined => {
  if (!isPlain(from) || !isPlain(to)) return undefined;
  const type = typeMisfit(from, to);
  if (type !== undefined) return type;
  const taken = valuesOf(to);
  if (taken && commonValues(valuesOf(from), taken)?.length === 0) {
    return `is never ${valuesText(taken)}`;
  }
  if (from.additionalProperties !== false || !isRecord(from.properties)) return undefined;
  // A value that may be something else than an object needs no field.
  if (typesOf(from)?.some((each) => each !== 'object') ?? true) return undefined;
  const { properties } = from;
  const missing = requiredOf(to).find((name) => !Object.hasOwn(properties, name));
  return missing === undefined ? undefined : `never has the field ${missing}, which is needed`;
};

/** Compares a value as it is written with the schema of what takes it. */
export const valueMisfits = (
  spec: unknown,
  target: JsonSchema,
  shapes: FlowShapes,
): readonly Misfit[] => {
  const fit = new Fit(shapes);
  fit.check(spec, target, []);
  return fit.misfits;
};

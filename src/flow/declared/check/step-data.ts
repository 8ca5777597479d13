/** The schemas of what steps return, as far as they can be told before anything runs. */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { StepGroup, StepNode, StepTree } from '../step-tree.ts';
import { jsonType, valuesOf } from './allowed-values.ts';
import { type FlowShapes, isForm, isMissing, shapeOfPath } from './schema-fit.ts';
import { typesOf } from './simplify-schema.ts';
import type { ShapeReader } from './tool-shapes.ts';

const NUMBER: JsonSchema = { type: 'number' };
const TEXT: JsonSchema = { type: 'string' };

const closed = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
});

/** The answer of a person. */
const ANSWER = closed({ approved: { type: 'boolean' }, by: TEXT, note: TEXT });

/** Steps that use each other's results more often one inside the other are unknown. */
const MAX_DEPTH = 50;

const orNull = (schema: JsonSchema): JsonSchema => {
  const types = typesOf(schema);
  const values = valuesOf(schema);
  return {
    ...schema,
    ...(types && { type: [...new Set([...types, 'null'])] }),
    ...(values && { enum: [...new Set([...values, null])] }),
  };
};

/** Makes the schema of a value that is written in the flow. */
const shapeOfValue = (spec: unknown, shapes: FlowShapes): JsonSchema => {
  if (!isRecord(spec)) return { type: jsonType(spec) };
  if (isForm(spec, 'cel')) return {};
  if (isForm(spec, 'value')) return { type: jsonType(spec.value) };
  if (!isForm(spec, 'from')) {
    const fields = Object.entries(spec).map(([name, each]) => [name, shapeOfValue(each, shapes)]);
    return closed(Object.fromEntries(fields));
  }
  const shape = typeof spec.from === 'string' ? shapeOfPath(spec.from, shapes) : undefined;
  return shape === undefined || isMissing(shape) ? {} : shape;
};

export interface StepDataDeps {
  readonly tools: Pick<ShapeReader, 'get'>;
  /** What the values of a step see. */
  shapes(node: StepNode, member: 'output'): FlowShapes;
}

export class StepData {
  readonly #deps: StepDataDeps;
  readonly #data = new Map<StepNode, JsonSchema | undefined>();
  #depth = 0;

  constructor(deps: StepDataDeps) {
    this.#deps = deps;
  }

  /** Reads all steps in the order in which they run, so that none has to look far back. */
  read({ root }: Pick<StepTree, 'root'>): void {
    this.#group(root);
  }

  #group({ order }: StepGroup): void {
    for (const node of order) {
      if (node.inner) this.#group(node.inner);
      this.of(node);
    }
  }

  /** Gives the schema of `steps.<id>.data` when the step has ended well; nothing where nobody can tell. */
  of(node: StepNode): JsonSchema | undefined {
    if (this.#data.has(node)) return this.#data.get(node);
    if (this.#depth >= MAX_DEPTH) return undefined;
    // Unknown to itself, should its steps use each other in a circle.
    this.#data.set(node, undefined);
    this.#depth += 1;
    const data = this.#dataOf(node);
    this.#depth -= 1;
    this.#data.set(node, data);
    return data;
  }

  #dataOf(node: StepNode): JsonSchema | undefined {
    const { forEach, else: otherwise } = node.step;
    // Another call may have been made instead.
    if (typeof otherwise === 'object') return undefined;
    const once = this.#once(node);
    if (!forEach) return once;
    const counts = { count: NUMBER, done: NUMBER, failed: NUMBER, skipped: NUMBER };
    if (forEach.collect === false) return closed(counts);
    const results = { type: 'array', ...(once && { items: orNull(once) }) };
    return closed({ ...counts, results, truncated: { type: 'boolean' } });
  }

  /** Gives what the step returns, or makes of it, for one item. */
  #once(node: StepNode): JsonSchema | undefined {
    const { output, onError } = node.step;
    if (typeof onError === 'object') return undefined;
    return output === undefined
      ? this.returned(node)
      : shapeOfValue(output, this.#deps.shapes(node, 'output'));
  }

  /** Gives what the step returns, before its `output`. */
  returned({ type, step, inner }: StepNode): JsonSchema | undefined {
    if (type === 'approve') return ANSWER;
    if (type === 'call') return this.#deps.tools.get(step.call ?? '', step.version)?.output;
    if (!inner || inner.kind === 'conditional' || inner.kind === 'pipeline') return undefined;
    const [only, ...others] = inner.exits;
    if (only && others.length === 0) {
      const data = this.of(only);
      return data && orNull(data);
    }
    return closed(
      Object.fromEntries(inner.exits.map((node) => [node.step.id, this.of(node) ?? {}])),
    );
  }
}

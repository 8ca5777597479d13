/** The flows that this process can run, by name and version. */
import { defineFlow, isFlowVersion } from '../contract/define-flow.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { FlowDefinition } from '../contract/flow.ts';
import type { JsonSchema, LazySchema, Schema } from '../contract/schema.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { didYouMean, nearestName } from '../kit/text/did-you-mean.ts';
import { issuesText } from '../kit/text/issues-text.ts';
import { compileSchema } from '../registry/schema/compile-schema.ts';

const MAX_SUGGESTIONS = 5;

/** Names the flow of a run as the store knows it. */
export const flowKey = ({ name, version }: Pick<FlowDefinition, 'name' | 'version'>): string =>
  `${name}@${version}`;

/** Names the fields of an input that were probably meant for others, which schemas let pass. */
const misspelt = (input: unknown, { properties }: JsonSchema): readonly string[] => {
  if (!isRecord(input) || !isRecord(properties)) return [];
  const missing = Object.keys(properties).filter((name) => !Object.hasOwn(input, name));
  return Object.keys(input)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, MAX_SUGGESTIONS)
    .flatMap((name) => {
      const meant = nearestName(name, missing);
      return meant === undefined ? [] : [`Did you mean ${meant} by ${name}?`];
    });
};

export class FlowRegistry {
  readonly #byKey = new Map<string, FlowDefinition>();
  /** The version registered last, by name. */
  readonly #newest = new Map<string, FlowDefinition>();
  /** Compiled schemas of inputs, each made when it is first needed. */
  readonly #schemas = new WeakMap<FlowDefinition, Schema>();

  /**
   * Adds a flow, which new runs of its name get from now on. Other code under a name and version that is
   * taken is refused with CONFLICT.
   */
  register<I, O>(definition: FlowDefinition<I, O>): void {
    const flow = this.#add(definition);
    this.#newest.set(flow.name, flow);
  }

  /** Adds the flow of a child run. It does not replace the version that new runs of its name get. */
  registerChild(definition: FlowDefinition): void {
    const flow = this.#add(definition);
    if (!this.#newest.has(flow.name)) this.#newest.set(flow.name, flow);
  }

  #add<I, O>(definition: FlowDefinition<I, O>): FlowDefinition {
    const flow = defineFlow(definition) as unknown as FlowDefinition;
    const present = this.#byKey.get(flowKey(flow));
    if (present && present !== flow) {
      throw new ToolFailure('CONFLICT', `The flow ${flowKey(flow)} is registered already.`, {
        suggestions: ['Give changed code a new version: runs go on with the one they began with.'],
      });
    }
    this.#byKey.set(flowKey(flow), flow);
    return flow;
  }

  find(name: string, version: string): FlowDefinition | undefined {
    return this.#byKey.get(`${name}@${version}`);
  }

  /** Returns the flow to start: the version registered last, unless one is named. */
  get(name: string, version?: string): FlowDefinition {
    const flow = version === undefined ? this.#newest.get(name) : this.find(name, version);
    if (flow) return flow;
    const label = version === undefined ? name : `${name}@${version}`;
    const versions = [...this.#byKey.values()].filter((each) => each.name === name);
    const meant =
      versions.length > 0
        ? `; it has ${versions.map((each) => each.version).join(', ')}.`
        : didYouMean(name, this.#newest.keys());
    throw new ToolFailure('NOT_FOUND', `There is no flow ${label}${meant || '.'}`, {
      suggestions: [
        'Register it first with crib.flows.register, or put it as data into .toolcrib/flows.',
      ],
    });
  }

  /**
   * Returns the input as the schema of the flow makes it; none is an empty one where an object is wanted.
   * Rejects with VALIDATION_ERROR.
   */
  async parseInput(flow: FlowDefinition, input: unknown): Promise<unknown> {
    if (flow.input === undefined) return input;
    const schema = await this.#schemaOf(flow, flow.input);
    const asGiven = schema.validate(input);
    const isEmpty = !asGiven.ok && input === undefined && schema.json.type === 'object';
    const checked = isEmpty ? schema.validate({}) : asGiven;
    if (checked.ok) return checked.value;
    const { issues } = checked;
    const message = `The input does not fit the flow ${flow.name}: ${issuesText(issues)}`;
    const suggestions = misspelt(input, schema.json);
    throw new ToolFailure('VALIDATION_ERROR', message, { issues, suggestions });
  }

  /** Returns the input of a flow as JSON Schema; nothing for one that takes anything. */
  async inputSchema(flow: FlowDefinition): Promise<JsonSchema | undefined> {
    return flow.input === undefined ? undefined : (await this.#schemaOf(flow, flow.input)).json;
  }

  async #schemaOf(flow: FlowDefinition, source: LazySchema<unknown>): Promise<Schema> {
    const compiled = this.#schemas.get(flow);
    if (compiled) return compiled;
    const schema = await compileSchema(typeof source === 'function' ? source() : source);
    this.#schemas.set(flow, schema);
    return schema;
  }

  /**
   * Throws for a version that a run cannot be moved to. One of a flow that is not known here may be
   * known to another process.
   */
  assertTarget(name: string, version: string): void {
    if (!isFlowVersion(version)) {
      throw new ToolFailure('VALIDATION_ERROR', `No flow can have the version ${version}.`, {
        suggestions: ['Name a version as in 1.0.0.'],
      });
    }
    if (this.#newest.has(name)) this.get(name, version);
  }

  /** Returns every flow with all its versions; the last of a name is the one that new runs get. */
  all(): readonly FlowDefinition[] {
    return [...this.#byKey.values()];
  }

  newest(): readonly FlowDefinition[] {
    return [...this.#newest.values()];
  }

  keys(): ReadonlySet<string> {
    return new Set(this.#byKey.keys());
  }
}

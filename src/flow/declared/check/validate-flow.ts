/** Finds every fault of a flow at once: of its graph, its values, its tools and what they hand each other. */
import type { FlowData, FlowFault, FlowToolCall, ParsedFlow } from '../../../contract/flow-data.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { didYouMean } from '../../../kit/text/did-you-mean.ts';
import { flowKey } from '../../flow-registry.ts';
import { compileProgram, type FlowProgram, type PlacedUse } from '../flow-program.ts';
import { MAX_FLOW_FAULTS } from '../flow-schema.ts';
import { placeFaults } from '../parse-flow.ts';
import { pipedFrom } from '../piped-from.ts';
import { flowNameOf, type SubFlow, subFlowBeyond, toolBeyond } from '../run/step-work.ts';
import { type FlowPath, lastResortOf, type StepNode } from '../step-tree.ts';
import { itemOwner, referenceFaults } from './check-references.ts';
import { inputSchemaFaults } from './input-schema-faults.ts';
import { literalMisfits } from './literal-input.ts';
import {
  deadEnd,
  type FlowShapes,
  isForm,
  isMissing,
  misfitOf,
  shapeOfPath,
  undeclaredField,
  valueMisfits,
} from './schema-fit.ts';
import { simplifySchema } from './simplify-schema.ts';
import { StepData } from './step-data.ts';
import { textFaults } from './text-faults.ts';
import { type FlowTools, flowInputShape, type InputShape, ShapeReader } from './tool-shapes.ts';

export interface ValidateFlowDeps {
  readonly tools: FlowTools;
  /** Tools of a server may come later: then one that is missing keeps no flow from being loaded. */
  readonly missingTools?: 'warning';
  /** Absent where other flows are not known: then they are not checked. */
  subFlow?(name: string, version: string): SubFlow | undefined;
}

type Fault = Omit<FlowFault, 'line' | 'column'>;

/** A call that a step may make, and where it is written. */
export interface PlacedCall extends FlowToolCall {
  readonly node: StepNode;
  readonly path: FlowPath;
}

/** Lists the calls of a step: its own, its fallback and the alternative of its condition. */
export const callsOf = (node: StepNode): readonly PlacedCall[] => {
  const { step, path } = node;
  const calls: PlacedCall[] = [];
  if (step.call !== undefined) calls.push({ ...pick(step, step.call), node, path });
  if (typeof step.onError === 'object') {
    calls.push({ ...step.onError.fallback, node, path: [...path, 'onError', 'fallback'] });
  }
  if (typeof step.else === 'object') calls.push({ ...step.else, node, path: [...path, 'else'] });
  return calls;
};

const pick = (step: Partial<FlowToolCall>, call: string): FlowToolCall => ({
  call,
  ...(step.version !== undefined && { version: step.version }),
  ...(step.input !== undefined && { input: step.input }),
});

class FlowCheck {
  readonly faults: Fault[] = [];
  readonly #program: FlowProgram;
  readonly #deps: ValidateFlowDeps;
  readonly #shapes: ShapeReader;
  readonly #stepData: StepData;
  readonly #flowInput: JsonSchema | undefined;
  #hints = 0;

  constructor(program: FlowProgram, deps: ValidateFlowDeps) {
    this.#program = program;
    this.#deps = deps;
    this.#shapes = new ShapeReader(deps.tools);
    const { input } = program.flow;
    this.#flowInput = input && simplifySchema(input);
    this.#stepData = new StepData({
      tools: this.#shapes,
      shapes: (node, member) => this.#seenBy(node, member),
    });
  }

  async run(): Promise<void> {
    const calls = this.#program.tree.nodes.flatMap(callsOf);
    for (const { call, version } of calls) await this.#shapes.read(call, version);
    this.#stepData.read(this.#program.tree);
    for (const call of calls) this.#tool(call);
    for (const node of this.#program.tree.nodes) {
      this.#items(node);
      await this.#subFlow(node);
    }
    this.#paths();
    this.faults.push(...(await inputSchemaFaults(this.#program.flow)));
    this.faults.push(...textFaults(this.#program.tree.nodes));
  }

  #fault(path: FlowPath, message: string, severity: Fault['severity'] = 'error'): void {
    this.faults.push({ path, message, severity });
  }

  #tool(placed: PlacedCall): void {
    const { call, version, path } = placed;
    const shapes = this.#shapes.get(call, version);
    const { limits = {} } = this.#program.flow;
    const beyond = toolBeyond(call, shapes?.tool, limits);
    if (beyond !== undefined) this.#fault([...path, 'call'], `the limits do not allow ${beyond}`);
    if (!shapes) this.#missing(placed);
    else if (shapes.input) this.#input(placed, shapes.input);
  }

  /** Finds paths to fields that are not there, wherever they stand. */
  #paths(): void {
    const { uses } = this.#program;
    const faulty = new Set(this.faults.map(({ path }) => path.join('\0')));
    for (const { node, member, reference, path } of uses) {
      if (faulty.has(path.join('\0'))) continue;
      const shapes = this.#seenBy(node, member);
      const message = deadEnd(reference.text, shapes);
      if (message !== undefined) this.#fault(path, message);
      else {
        const undeclared = undeclaredField(reference.text, shapes);
        if (undeclared !== undefined) this.#fault(path, undeclared, 'warning');
      }
    }
  }

  /** Gives what a value of a step sees: the input of the flow, the item at hand, and other steps. */
  #seenBy(node: StepNode | undefined, member: PlacedUse['member']): FlowShapes {
    const { byId } = this.#program.tree;
    const own = (): JsonSchema | undefined =>
      node && member === 'output' ? this.#stepData.returned(node) : undefined;
    const dataOf = (other: StepNode | undefined) => other && this.#stepData.of(other);
    return {
      input: this.#flowInput,
      item: this.#itemOf(itemOwner(node, member)),
      stepData: (id) => (id === node?.step.id ? own() : dataOf(byId.get(id))),
      hint: (name, names) => {
        // Comparing each name of a flow with all that a schema declares would take long.
        this.#hints += 1;
        return this.#hints > MAX_FLOW_FAULTS ? '' : didYouMean(name, Object.keys(names));
      },
    };
  }

  /** Gives the schema of the items of a step, where a path leads to their list. */
  #itemOf(owner: StepNode | undefined): JsonSchema | undefined {
    const items = owner?.step.forEach?.items;
    if (!isRecord(items) || !isForm(items, 'from') || typeof items.from !== 'string') return;
    const list = shapeOfPath(items.from, this.#seenBy(owner, 'items'));
    return list && !isMissing(list) && isRecord(list.items) ? list.items : undefined;
  }

  #items(node: StepNode): void {
    const items = node.step.forEach?.items;
    if (items === undefined) return;
    for (const { path, message } of valueMisfits(items, LIST, this.#seenBy(node, 'items'))) {
      this.#fault([...node.path, 'forEach', 'items', ...path], message);
    }
  }

  #missing({ call, version, path }: PlacedCall): void {
    const { tools } = this.#deps;
    const versions = tools.versions(call).map((each) => each.version);
    if (versions.length > 0) {
      const others = versions.join(', ');
      this.#fault([...path, 'version'], `${call} has no version ${version}; it has ${others}`);
      return;
    }
    const [meant] = tools.suggest(call);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    const { missingTools = 'error' } = this.#deps;
    this.#fault([...path, 'call'], `there is no tool ${call}${hint}`, missingTools);
  }

  #input({ node, input, call, path }: PlacedCall, shape: InputShape): void {
    if (input === undefined) {
      this.#piped({ node, path, taker: call, at: 'call' }, shape);
      return;
    }
    const part = path.at(-1);
    const member = part === 'else' ? 'otherwise' : part === 'fallback' ? 'fallback' : 'input';
    this.#given(
      input,
      { place: [...path, 'input'], taker: call, shapes: this.#seenBy(node, member) },
      shape,
    );
  }

  /** Checks an input as it is written: its parts, and all of it where nothing of it is worked out. */
  #given(input: unknown, { place, taker, shapes }: Given, { json, schema }: InputShape): void {
    const parts = valueMisfits(input, json, shapes);
    for (const { path, message } of [...parts, ...literalMisfits(input, schema, parts)]) {
      this.#fault([...place, ...path], `input of ${taker}: ${message}`);
    }
  }

  /** In a pipeline a step without input takes what the one before returned. */
  #piped({ node, path, taker, at }: Taker, shape: InputShape): void {
    const source = path === node.path ? pipedFrom(node) : undefined;
    if (source === undefined) {
      const shapes = this.#seenBy(undefined, 'input');
      this.#given({}, { place: [...path, at], taker, shapes }, shape);
      return;
    }
    // A step that was skipped leaves what came before it.
    if (source !== 'input' && mayBeSkipped(source)) return;
    const given = source === 'input' ? this.#flowInput : this.#stepData.of(source);
    const misfit = given && misfitOf(given, shape.json);
    if (misfit === undefined) return;
    const from = source === 'input' ? 'the input of the flow' : source.step.id;
    this.#fault([...path, at], `what ${from} gives does not fit ${taker}: it ${misfit}`);
  }

  /** Compares what a step gives to another flow with what that takes. */
  async #flowInputOf(node: StepNode, { definition }: SubFlow): Promise<void> {
    const { path, step } = node;
    const { flow: taker = '', input } = step;
    const shape = await flowInputShape(definition);
    if (!shape) return;
    if (input === undefined) {
      this.#piped({ node, path, taker, at: 'flow' }, shape);
      return;
    }
    const shapes = this.#seenBy(node, 'input');
    this.#given(input, { place: [...path, 'input'], taker, shapes }, shape);
  }

  async #subFlow(node: StepNode): Promise<void> {
    const { step, path } = node;
    const { flow: named } = step;
    const { subFlow } = this.#deps;
    if (named === undefined || !subFlow) return;
    const { flow } = this.#program;
    const place = [...path, 'flow'];
    if (named === `${flow.name}@${flow.version}`) {
      this.#fault(place, `${named} starts itself`);
      return;
    }
    const sub = subFlow(...flowNameOf(named));
    if (!sub) {
      this.#fault(place, `there is no flow ${named}`);
      return;
    }
    const beyond = subFlowBeyond(named, sub.data, flow.limits ?? {});
    if (beyond !== undefined) this.#fault(place, `the limits do not allow ${beyond}`);
    const loop = flowLoop(flow, sub, subFlow);
    if (loop) this.#fault(place, `these flows start each other: ${loop.join(' → ')}`);
    await this.#flowInputOf(node, sub);
  }
}

/** What is called or started without an input of its own. */
interface Taker {
  readonly node: StepNode;
  readonly path: FlowPath;
  readonly taker: string;
  readonly at: 'call' | 'flow';
}

/** Where an input is written, and who takes it. */
interface Given {
  readonly place: FlowPath;
  readonly taker: string;
  readonly shapes: FlowShapes;
}

const LIST: JsonSchema = { type: 'array' };

const mayBeSkipped = ({ step }: StepNode): boolean =>
  step.when !== undefined || lastResortOf(step) === 'skip';

/** Lists the flows that a flow starts, at any depth of its groups. */
export const startedFlows = (flow: FlowData): readonly string[] => {
  const started = new Set<string>();
  const stack = [...flow.steps];
  for (let step = stack.pop(); step; step = stack.pop()) {
    if (step.flow !== undefined) started.add(step.flow);
    if (step.steps) stack.push(...step.steps);
  }
  return [...started];
};

/** Follows sub-flows until one is the flow itself; nothing when none is. */
const flowLoop = (
  flow: FlowData,
  { data }: SubFlow,
  find: NonNullable<ValidateFlowDeps['subFlow']>,
): readonly string[] | undefined => {
  const home = flowKey(flow);
  const seen = new Set<string>();
  const trails: (readonly [FlowData, readonly string[]])[] = data
    ? [[data, [home, flowKey(data)]]]
    : [];
  for (let next = trails.pop(); next; next = trails.pop()) {
    const [at, trail] = next;
    for (const name of startedFlows(at)) {
      if (name === home) return [...trail, home];
      const inner = seen.has(name) ? undefined : find(...flowNameOf(name))?.data;
      seen.add(name);
      if (inner) trails.push([inner, [...trail, name]]);
    }
  }
  return undefined;
};

const bySource = (one: Fault, other: Fault): number => {
  const [left, right] = [one.path.join('\0'), other.path.join('\0')];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** The faults of a flow that fits the schema, without their places. */
export const flowFaults = async (
  program: FlowProgram,
  deps: ValidateFlowDeps,
): Promise<readonly Fault[]> => {
  const check = new FlowCheck(program, deps);
  await check.run();
  return [...program.faults, ...referenceFaults(program), ...check.faults];
};

/** Finds all faults of a flow that was read. Never rejects because of the flow. */
export const validateFlow = async (
  parsed: ParsedFlow,
  deps: ValidateFlowDeps,
): Promise<{ readonly ok: boolean; readonly faults: readonly FlowFault[] }> => {
  const { flow = parsed.readable } = parsed;
  if (!flow) return { ok: false, faults: parsed.faults };
  const faults = await flowFaults(compileProgram(flow), deps);
  const all = [...parsed.faults, ...placeFaults(faults, parsed)];
  const placed = all
    .slice(0, MAX_FLOW_FAULTS)
    .toSorted(
      (one, other) =>
        (one.line ?? 0) - (other.line ?? 0) ||
        (one.column ?? 0) - (other.column ?? 0) ||
        bySource(one, other),
    );
  return { ok: !placed.some(({ severity }) => severity === 'error'), faults: placed };
};

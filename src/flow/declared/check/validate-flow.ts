/** Finds every fault of a flow at once: of its graph, its values, its tools and what they hand each other. */
import type { FlowData, FlowFault, FlowToolCall, ParsedFlow } from '../../../contract/flow-data.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { flowKey } from '../../flow-registry.ts';
import { compileProgram, type FlowProgram } from '../flow-program.ts';
import { placeFaults } from '../parse-flow.ts';
import { flowNameOf, type SubFlow, subFlowBeyond, toolBeyond } from '../run/step-work.ts';
import type { FlowPath, StepNode } from '../step-tree.ts';
import { referenceFaults } from './check-references.ts';
import { inputSchemaFaults } from './input-schema-faults.ts';
import {
  deadEnd,
  type KnownShapes,
  misfitOf,
  undeclaredField,
  valueMisfits,
} from './schema-fit.ts';
import { textFaults } from './text-faults.ts';
import { type FlowTools, ShapeReader } from './tool-shapes.ts';

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

  constructor(program: FlowProgram, deps: ValidateFlowDeps) {
    this.#program = program;
    this.#deps = deps;
    this.#shapes = new ShapeReader(deps.tools);
  }

  async run(): Promise<void> {
    const calls = this.#program.tree.nodes.flatMap(callsOf);
    for (const { call, version } of calls) await this.#shapes.read(call, version);
    for (const call of calls) this.#tool(call);
    this.#paths();
    for (const node of this.#program.tree.nodes) this.#subFlow(node);
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
    const { uses, flow } = this.#program;
    const told = new Set(this.faults.map(({ path }) => path.join('\0')));
    for (const { node, reference, path } of uses) {
      if (told.has(path.join('\0'))) continue;
      const message = deadEnd(reference.text, this.#known(node));
      if (message !== undefined) this.#fault(path, message);
      else {
        const undeclared = undeclaredField(reference.text, flow.input);
        if (undeclared !== undefined) this.#fault(path, undeclared, 'warning');
      }
    }
  }

  /** What is known of the input of the flow and of other steps. */
  #known(node: StepNode | undefined): KnownShapes {
    const { flow, tree } = this.#program;
    return {
      input: flow.input,
      stepData: (id) => (id === node?.step.id ? undefined : this.#dataOf(tree.byId.get(id))),
    };
  }

  #missing({ call, version, path }: PlacedCall): void {
    const { tools } = this.#deps;
    const versions = tools.versions(call).map((each) => each.version);
    if (versions.length > 0) {
      const known = versions.join(', ');
      this.#fault([...path, 'version'], `${call} has no version ${version}; it has ${known}`);
      return;
    }
    const [meant] = tools.suggest(call);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    const { missingTools = 'error' } = this.#deps;
    this.#fault([...path, 'call'], `there is no tool ${call}${hint}`, missingTools);
  }

  #input({ node, input, call, path }: PlacedCall, schema: JsonSchema): void {
    if (input === undefined) {
      this.#piped(node, schema, path);
      return;
    }
    for (const misfit of valueMisfits(input, schema, this.#known(node))) {
      this.#fault([...path, 'input', ...misfit.path], `input of ${call}: ${misfit.message}`);
    }
  }

  /** In a pipeline a step without input takes what the one before returned. */
  #piped(node: StepNode, schema: JsonSchema, path: FlowPath): void {
    const { call = '' } = node.step;
    const isPiped = node.group.kind === 'pipeline' && path === node.path;
    if (!isPiped) {
      for (const { message } of valueMisfits({}, schema, NOTHING_KNOWN)) {
        this.#fault([...path, 'call'], `input of ${call}: ${message}`);
      }
      return;
    }
    const [previous] = node.before;
    const isFirst = previous === undefined && node.group.owner === undefined;
    const given = isFirst ? this.#program.flow.input : this.#dataOf(previous);
    const misfit = given && misfitOf(given, schema);
    if (misfit === undefined) return;
    const from = previous ? previous.step.id : 'the input of the flow';
    this.#fault([...path, 'call'], `what ${from} gives does not fit ${call}: it ${misfit}`);
  }

  /** The schema of what a step returns, where its tool declares one. */
  #dataOf(node: StepNode | undefined): JsonSchema | undefined {
    if (node?.type !== 'call') return undefined;
    const { call = '', version, forEach, output, onError, else: otherwise } = node.step;
    const isOther = typeof onError === 'object' || typeof otherwise === 'object';
    if (forEach || output !== undefined || isOther) return undefined;
    return this.#shapes.get(call, version)?.output;
  }

  #subFlow({ step, path }: StepNode): void {
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
  }
}

const NOTHING_KNOWN = { input: undefined, stepData: () => undefined };

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
  const { flow } = parsed;
  if (!flow) return { ok: false, faults: parsed.faults };
  const faults = await flowFaults(compileProgram(flow), deps);
  const placed = placeFaults(faults, parsed).toSorted(
    (one, other) =>
      (one.line ?? 0) - (other.line ?? 0) ||
      (one.column ?? 0) - (other.column ?? 0) ||
      bySource(one, other),
  );
  return { ok: !placed.some(({ severity }) => severity === 'error'), faults: placed };
};

/** Makes a flow that can be registered of a flow as data. */
import type { FlowDefinition } from '../../contract/flow.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { compileProgram, type FlowProgram } from './flow-program.ts';
import { badFlow } from './parse-flow.ts';
import { FlowRunner } from './run/flow-runner.ts';
import {
  bytesOf,
  coresOf,
  narrowResources,
  ResourceGate,
  type Resources,
} from './run/resource-gate.ts';
import type { FlowRunDeps } from './run/step-work.ts';

export interface CompileFlowDeps extends Omit<FlowRunDeps, 'resources'> {
  /** The gate of the whole process, and what it has. */
  readonly machine: { readonly gate: ResourceGate; readonly capacity: Resources };
}

/** Tools that run at once in all runs of one flow share its limits. */
const gateOf = ({ limits = {} }: FlowData, { machine }: CompileFlowDeps): ResourceGate => {
  const { memory, disk, cpu } = limits;
  if (memory === undefined && disk === undefined && cpu === undefined) return machine.gate;
  const own = {
    ...(memory !== undefined && { memory: bytesOf(memory) ?? 0 }),
    ...(disk !== undefined && { disk: bytesOf(disk) ?? 0 }),
    ...(cpu !== undefined && { cpu: coresOf(cpu) ?? 0 }),
  };
  return new ResourceGate(narrowResources(machine.capacity, own), machine.gate);
};

/** What is under a version is known by this; a run that began with other data is blocked. */
export const flowDigest = (flow: FlowData): string => digestOf(flow);

export const definitionOf = (program: FlowProgram, deps: CompileFlowDeps): FlowDefinition => {
  const { flow } = program;
  const { name, version, description, input, undoOnFailure } = flow;
  const digest = flowDigest(flow);
  const resources = gateOf(flow, deps);
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(input && { input }),
    ...(undoOnFailure !== undefined && { undoOnFailure }),
    run: (context, given) =>
      new FlowRunner(program, context, { ...deps, resources }).run(given, digest),
  };
};

/** Compiles a flow. Throws CONFIG_INVALID with the faults of its graph and its expressions. */
export const compileFlow = (flow: FlowData, deps: CompileFlowDeps): FlowDefinition => {
  const program = compileProgram(flow);
  if (program.faults.length > 0) throw badFlow(program.faults);
  return definitionOf(program, deps);
};

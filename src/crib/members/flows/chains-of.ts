/** `crib.chains`: calls that are made at once, one after the other or as a graph. */
import type { CallAs } from '../../../contract/call-options.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { ChainCall, CribChains } from '../../../contract/chain.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { ResourceRequirements } from '../../../contract/tool-limits.ts';
import type { DataFlows } from '../../../flow/declared/data-flows.ts';
import type { Machine } from '../open-machine.ts';

export interface ChainMemberDeps {
  readonly runtime: Pick<Runtime, 'elapsed'>;
  /** Opens the reader of flows as data, which checks and optimizes chains as well. */
  data(): Promise<Pick<DataFlows, 'validate' | 'planPartly' | 'optimize'>>;
  readonly tools: Pick<Catalog, 'get'>;
  /** Opens what the machine has, and the gate that its flows share. */
  machine(): Promise<Machine>;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
}

/** Looks up what the tool of a call declares to use. Throws TOOL_NOT_FOUND. */
const requirementsIn =
  (tools: Pick<Catalog, 'get'>) =>
  ({ tool: name, options }: ChainCall): ResourceRequirements => {
    const entry = tools.get(name, options?.version);
    if (!entry) throw new ToolFailure('TOOL_NOT_FOUND', `There is no tool ${name}.`);
    return entry.tool.resourceRequirements ?? {};
  };

/** Makes calls of tools that declare what they use when the machine has room for them. */
const gated =
  ({ tools, machine, execute }: Pick<ChainMemberDeps, 'tools' | 'machine' | 'execute'>) =>
  async (tool: string, input: unknown, as: CallAs): Promise<ToolResult> => {
    const { gatedNeeds } = await import('../../../flow/declared/run/resource-gate.ts');
    const needs = gatedNeeds(tools.get(tool, as.version)?.tool);
    if (!needs) return execute(tool, input, as);
    return (await machine()).gate.run(needs, () => execute(tool, input, as), as.signal);
  };

export const chainsOf = ({
  runtime,
  data,
  tools,
  machine,
  nextId,
  execute,
}: ChainMemberDeps): CribChains => ({
  execute: async (calls, options, as) => {
    const { runChain } = await import('../../../flow/chain/run-chain.ts');
    const make = gated({ tools, machine, execute });
    return runChain(
      calls,
      { options, as },
      { elapsed: () => runtime.elapsed(), nextId, execute: make },
    );
  },
  validate: async (calls, as) => {
    const { flowOfChain } = await import('../../../flow/chain/chain-flow.ts');
    const flow = flowOfChain(calls);
    const flows = await data();
    const { ok, faults } = await flows.validate(flow);
    const plan = await flows.planPartly(flow, null, as);
    return { ok: ok && plan?.denied.length === 0, faults, ...(plan && { plan }) };
  },
  optimize: async (calls) => {
    const { callOptionsOf, chainOfFlow, flowOfChain } = await import(
      '../../../flow/chain/chain-flow.ts'
    );
    const flows = await data();
    return chainOfFlow(calls, await flows.optimize(flowOfChain(calls), callOptionsOf(calls)));
  },
  schedule: async (calls, options = {}) => {
    const { scheduleChain } = await import('../../../flow/chain/schedule-chain.ts');
    const { capacity } = await machine();
    return scheduleChain(calls, options, { capacity, requirements: requirementsIn(tools) });
  },
  resources: async () => {
    const { shareOf } = await import('../../../flow/chain/schedule-chain.ts');
    const { capacity, gate } = await machine();
    return { available: shareOf(capacity), used: shareOf(gate.used), ...gate.tasks };
  },
});

/** `crib.chains`: calls that are made at once, one after the other or as a graph. */
import type { CallAs } from '../../../contract/call-options.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { ChainCall, CribChains } from '../../../contract/chain.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { CribFlowData } from '../../../contract/flow-data-members.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { ResourceRequirements } from '../../../contract/tool-limits.ts';

export interface ChainMemberDeps {
  readonly runtime: Pick<Runtime, 'elapsed'>;
  readonly flows: Pick<CribFlowData, 'validate' | 'plan' | 'optimize'>;
  readonly tools: Pick<Catalog, 'get'>;
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

export const chainsOf = ({
  runtime,
  flows,
  tools,
  nextId,
  execute,
}: ChainMemberDeps): CribChains => ({
  execute: async (calls, options, as) => {
    const { runChain } = await import('../../../flow/chain/run-chain.ts');
    const deps = { elapsed: () => runtime.elapsed(), nextId, execute };
    return runChain(calls, { options, as }, deps);
  },
  validate: async (calls, as) => {
    const { flowOfChain } = await import('../../../flow/chain/chain-flow.ts');
    const flow = flowOfChain(calls);
    const { ok, faults } = await flows.validate(flow);
    if (!ok) return { ok, faults };
    const plan = await flows.plan(flow, null, as);
    return { ok: plan.denied.length === 0, faults, plan };
  },
  optimize: async (calls) => {
    const { chainOfFlow, flowOfChain } = await import('../../../flow/chain/chain-flow.ts');
    return chainOfFlow(calls, await flows.optimize(flowOfChain(calls)));
  },
  schedule: async (calls, options = {}) => {
    const [{ scheduleChain }, { openMachine }] = await Promise.all([
      import('../../../flow/chain/schedule-chain.ts'),
      import('../open-machine.ts'),
    ]);
    const { capacity } = await openMachine();
    return scheduleChain(calls, options, { capacity, requirements: requirementsIn(tools) });
  },
});

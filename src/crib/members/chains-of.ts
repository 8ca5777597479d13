/** `crib.chains`: calls that are made at once, one after the other or as a graph. */
import type { CallAs } from '../../contract/call-options.ts';
import type { CribChains } from '../../contract/chain.ts';
import type { CribFlowData } from '../../contract/flow-data-members.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';

export interface ChainMemberDeps {
  readonly runtime: Pick<Runtime, 'elapsed'>;
  readonly flows: Pick<CribFlowData, 'validate' | 'plan' | 'optimize'>;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
}

export const chainsOf = ({ runtime, flows, nextId, execute }: ChainMemberDeps): CribChains => ({
  execute: async (calls, options, as) => {
    const { runChain } = await import('../../flow/chain/run-chain.ts');
    const deps = { elapsed: () => runtime.elapsed(), nextId, execute };
    return runChain(calls, { options, as }, deps);
  },
  validate: async (calls, as) => {
    const { flowOfChain } = await import('../../flow/chain/chain-flow.ts');
    const flow = flowOfChain(calls);
    const { ok, faults } = await flows.validate(flow);
    if (!ok) return { ok, faults };
    const plan = await flows.plan(flow, null, as);
    return { ok: plan.denied.length === 0, faults, plan };
  },
  optimize: async (calls) => {
    const { chainOfFlow, flowOfChain } = await import('../../flow/chain/chain-flow.ts');
    return chainOfFlow(calls, await flows.optimize(flowOfChain(calls)));
  },
});

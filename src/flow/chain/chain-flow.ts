/** Turns a chain into a flow as data and back, so that both are checked, planned and optimized alike. */
import type { ChainCall, OptimizedChain } from '../../contract/chain.ts';
import type { FlowData, FlowDataStep, FlowOptimization } from '../../contract/flow-data.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import type { CallOptionsById } from '../declared/plan/optimize-flow.ts';
import { assertChainSize, chainIds } from './chain-graph.ts';

const stepOf = (call: ChainCall, id: string): FlowDataStep => {
  const { tool, input = {}, inputFrom, dependsOn, options = {} } = call;
  const { version, timeoutMs } = options;
  return {
    id,
    call: tool,
    input: inputFrom ?? { value: input },
    ...(version !== undefined && { version }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(dependsOn && { after: dependsOn }),
  };
};

/** Throws VALIDATION_ERROR for a chain that would take long to read. */
export const flowOfChain = (calls: readonly ChainCall[]): FlowData => {
  assertChainSize(calls);
  const ids = chainIds(calls);
  const isGraph = calls.some(({ dependsOn }) => dependsOn !== undefined);
  return {
    name: 'chain',
    version: '1.0.0',
    kind: isGraph ? 'dag' : 'sequential',
    steps: calls.map((call, at) => stepOf(call, ids[at] ?? '')),
  };
};

/** Lists how each call is made beyond what a step says: such calls do not stand for each other. */
export const callOptionsOf = (calls: readonly ChainCall[]): CallOptionsById => {
  const ids = chainIds(calls);
  return new Map(
    calls.flatMap(({ options: { version: _, timeoutMs: __, ...options } = {} }, at) =>
      Object.keys(options).length === 0 ? [] : [[ids[at] ?? '', options] as const],
    ),
  );
};

/** Takes the calls of the chain in the order and with the dependencies of the flow. */
export const chainOfFlow = (
  calls: readonly ChainCall[],
  { flow, changes, saves }: FlowOptimization,
): OptimizedChain => {
  const byId = Object.fromEntries(chainIds(calls).map((id, at) => [id, calls[at]]));
  const isGraph = flow.kind === 'dag';
  const optimized = flow.steps.flatMap(({ id, input, after = [] }): readonly ChainCall[] => {
    const call = ownValue(byId, id);
    if (!call) return [];
    return [
      {
        ...call,
        id,
        ...(call.inputFrom !== undefined && { inputFrom: input }),
        ...(isGraph && { dependsOn: after }),
      },
    ];
  });
  return { calls: optimized, changes, saves };
};

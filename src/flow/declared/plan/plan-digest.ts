/** Digests all that decides what a run does: the flow and the flows it starts, its input, caller and tools. */
import type { Caller } from '../../../contract/caller.ts';
import type { FlowData } from '../../../contract/flow-data.ts';
import { digestOf } from '../../../kit/data/canonical-json.ts';
import { callsOf, startedFlows } from '../check/validate-flow.ts';
import type { FlowProgram } from '../flow-program.ts';
import { flowNameOf, type SubFlow } from '../run/step-work.ts';
import { buildTree } from '../step-tree.ts';

export interface PlanDigestDeps {
  /** Digest of a tool's definition and code; `undefined` when there is no such tool. */
  definition(tool: string, version: string | undefined): Promise<string | undefined>;
  subFlow?(name: string, version: string): SubFlow | undefined;
}

/** Lists a flow and those that it starts, each once. One of code is known by its name alone. */
const flowsFrom = (flow: FlowData, { subFlow }: PlanDigestDeps): ReadonlyMap<string, FlowData> => {
  const flows = new Map([[`${flow.name}@${flow.version}`, flow]]);
  const open = [flow];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const named of startedFlows(next)) {
      const data = flows.has(named) ? undefined : subFlow?.(...flowNameOf(named))?.data;
      if (!data) continue;
      flows.set(named, data);
      open.push(data);
    }
  }
  return flows;
};

/** What is judged of a caller. A turn of an agent's loop is no part of it. */
const callerFacts = (caller: Caller): unknown => {
  const { loopId: _, ...facts } = caller;
  return facts;
};

export const planDigest = async (
  { flow }: FlowProgram,
  { input, caller }: { readonly input: unknown; readonly caller: Caller },
  deps: PlanDigestDeps,
): Promise<string> => {
  const flows = flowsFrom(flow, deps);
  const tools = new Map<string, string | null>();
  for (const { call, version } of [...flows.values()].flatMap((each) =>
    buildTree(each).nodes.flatMap(callsOf),
  )) {
    const key = `${call}\0${version ?? ''}`;
    if (!tools.has(key)) tools.set(key, (await deps.definition(call, version)) ?? null);
  }
  return digestOf({
    flows: [...flows].toSorted(byName),
    input: input ?? null,
    caller: callerFacts(caller),
    tools: [...tools].toSorted(byName),
  });
};

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

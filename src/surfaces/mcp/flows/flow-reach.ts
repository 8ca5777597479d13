/** What the declared steps of a flow can reach: the tools that they may call, sub-flows included. */
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { CatalogEntry } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { FlowInfo } from '../../../contract/flow.ts';
import type { FlowData, FlowDataStep, FlowToolCall } from '../../../contract/flow-data.ts';
import { isShown } from '../call/own-tools.ts';

type Annotations = NonNullable<ListedTool['annotations']>;

export interface FlowReach {
  readonly annotations: Annotations;
  /** False when a step calls a tool that is missing, switched off or in quarantine. */
  readonly isReady: boolean;
}

/** What code will do is not known before it runs. */
const ANYTHING: FlowReach = {
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  isReady: true,
};

/** Lists the calls that a step may make: its own, its alternatives, and those of its group. */
const callsOf = (step: FlowDataStep): readonly FlowToolCall[] => {
  const { call, version, onError, else: otherwise, steps = [] } = step;
  return [
    ...(call === undefined ? [] : [{ call, ...(version !== undefined && { version }) }]),
    ...(typeof onError === 'object' ? [onError.fallback] : []),
    ...(typeof otherwise === 'object' ? [otherwise] : []),
    ...steps.flatMap(callsOf),
  ];
};

const subFlowsOf = ({ flow, steps = [] }: FlowDataStep): readonly string[] => [
  ...(flow === undefined ? [] : [flow]),
  ...steps.flatMap(subFlowsOf),
];

/** Returns the flow and those that it starts; `undefined` when one of them is code. */
const withSubFlows = (
  key: string,
  byKey: ReadonlyMap<string, FlowData>,
): readonly FlowData[] | undefined => {
  const reached = new Map<string, FlowData>();
  const open = [key];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    const data = byKey.get(next);
    if (!data) return undefined;
    reached.set(next, data);
    open.push(...data.steps.flatMap(subFlowsOf));
  }
  return [...reached.values()];
};

/** Reads from the catalog what the tools of a surface can do at worst. */
export const flowReaches = async (crib: Crib): Promise<(flow: FlowInfo) => FlowReach> => {
  const flows = await crib.flows.data();
  const byKey = new Map(flows.map((flow) => [`${flow.name}@${flow.version}`, flow]));
  const definitions = crib.tools.forModel('mcp').definitions as unknown as readonly ListedTool[];
  const hints = new Map(definitions.map(({ name, annotations = {} }) => [name, annotations]));
  const worst = (entries: readonly (CatalogEntry | undefined)[]): Annotations => {
    const all = entries.map((entry) => (entry && hints.get(entry.wireName)) ?? {});
    const readOnlyHint = all.every((each) => each.readOnlyHint === true);
    return {
      readOnlyHint,
      destructiveHint: !readOnlyHint && all.some((each) => each.destructiveHint !== false),
      idempotentHint: readOnlyHint,
      openWorldHint: all.some((each) => each.openWorldHint !== false),
    };
  };
  return ({ name, version, source }) => {
    const reached = source === 'data' ? withSubFlows(`${name}@${version}`, byKey) : undefined;
    if (!reached) return ANYTHING;
    const calls = reached.flatMap(({ steps }) => steps.flatMap(callsOf));
    const entries = calls.map(({ call, version: pinned }) => crib.tools.get(call, pinned));
    const isReady = entries.every((entry) => entry !== undefined && isShown(entry));
    return { annotations: worst(entries), isReady };
  };
};

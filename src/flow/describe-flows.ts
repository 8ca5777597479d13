/** Describes the flows of a process for lists and forms, with their input as JSON Schema. */
import type { FlowInfo } from '../contract/flow.ts';
import type { FlowData } from '../contract/flow-data.ts';
import { type FlowRegistry, flowKey } from './flow-registry.ts';

/** Returns one entry a name, sorted by name. Rejects with CONFIG_INVALID for a schema that is none. */
export const describeFlows = async (
  registry: Pick<FlowRegistry, 'all' | 'newest' | 'inputSchema'>,
  data: readonly Pick<FlowData, 'name' | 'version'>[],
): Promise<readonly FlowInfo[]> => {
  const all = registry.all();
  const asData = new Set(data.map(flowKey));
  const infos = registry.newest().map(async (flow): Promise<FlowInfo> => {
    const { name, version, description = '' } = flow;
    const versions = all.filter((each) => each.name === name).map((each) => each.version);
    const input = await registry.inputSchema(flow);
    const source = asData.has(flowKey(flow)) ? 'data' : 'code';
    return { name, version, versions, description, source, ...(input && { input }) };
  });
  return (await Promise.all(infos)).sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** The flows that a surface offers as tools, to each client those that it may start. */
import type { Tool } from '@modelcontextprotocol/server';
import type { Caller } from '../../../contract/caller.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { FlowInfo } from '../../../contract/flow.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { flowToolName } from '../../../kit/model/flow-name.ts';
import { visibleBlock } from '../../../kit/text/visible-text.ts';
import type { McpSurfaceOptions } from '../mcp-options.ts';
import type { FlowTool, FlowTools } from '../surface-deps.ts';
import { flowInput } from './flow-input.ts';
import { type FlowReach, flowReaches } from './flow-reach.ts';

/** In a list of flows: all of them. */
const ALL = '*';
const MAX_DESCRIPTION = 2_000;

/** Tells whether the client may start a flow: a list of tools has to name it, as it names tools. */
const isListedFlow = (name: string, { tools }: Pick<Partial<Caller>, 'tools'>): boolean =>
  tools === undefined || tools.includes(name);

/** Puts what it is before the author's own words, so that no text can pass a flow off as a tool. */
const descriptionOf = ({ name, version, description }: FlowInfo): string => {
  const own = visibleBlock(description).slice(0, MAX_DESCRIPTION);
  return `Runs the flow ${name} ${version}; each of its steps is a governed call.${own === '' ? '' : ` ${own}`}`;
};

const definitionOf = ({ name, flow, input }: FlowTool, { annotations }: FlowReach): Tool => ({
  name,
  title: `Flow ${flow.name}`,
  description: descriptionOf(flow),
  inputSchema: input.schema,
  annotations: { title: `Flow ${flow.name}`, ...annotations },
  execution: { taskSupport: 'optional' },
});

class OfferedFlows implements FlowTools {
  readonly #crib: Crib;
  readonly #offered: readonly string[];
  readonly #log: Runtime['log'];

  constructor(crib: Crib, offered: readonly string[], log: Runtime['log']) {
    this.#crib = crib;
    this.#offered = offered;
    this.#log = log;
  }

  async list(caller: Pick<Partial<Caller>, 'tools'>): Promise<readonly Tool[]> {
    try {
      const flows = await this.#all();
      if (flows.length === 0) return [];
      const reachOf = await flowReaches(this.#crib);
      return flows
        .filter(({ name }) => isListedFlow(name, caller))
        .map((tool) => ({ tool, reach: reachOf(tool.flow) }))
        .filter(({ reach }) => reach.isReady)
        .map(({ tool, reach }) => definitionOf(tool, reach));
    } catch (error) {
      // Tools are listed whatever is wrong with the flows.
      this.#log.warn('flows could not be listed', { cause: reasonOf(error) });
      return [];
    }
  }

  async find(name: string): Promise<FlowTool | undefined> {
    return (await this.#all()).find((each) => each.name === name);
  }

  async #all(): Promise<readonly FlowTool[]> {
    const flows = await this.#crib.flows.registered();
    const isTool = (name: string): boolean => this.#crib.tools.has(name);
    return flows
      .filter(({ name }) => this.#offered.includes(ALL) || this.#offered.includes(name))
      .map((flow) => ({
        name: flowToolName(flow.name, isTool),
        flow,
        input: flowInput(flow.input),
      }));
  }
}

/** Offers flows on the full surface that is not limited to the tools of some servers. */
export const flowTools = (crib: Crib, options: McpSurfaceOptions): FlowTools | undefined => {
  const { surface = 'full', servers, flows = [ALL], runtime } = options;
  const offers = surface === 'full' && servers === undefined && flows.length > 0;
  return offers ? new OfferedFlows(crib, flows, runtime.log) : undefined;
};

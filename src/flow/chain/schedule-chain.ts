/** Spreads the calls of a chain over rounds, so that those of one round fit the machine together. */
import type {
  ChainCall,
  ChainSchedule,
  ChainScheduleOptions,
  ResourceShare,
  ScheduleRound,
} from '../../contract/chain.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ResourceRequirements } from '../../contract/tool-limits.ts';
import {
  bytesOf,
  coresOf,
  narrowResources,
  type Resources,
  requirementsOf,
} from '../declared/run/resource-gate.ts';
import { type ChainNode, chainGraph } from './chain-graph.ts';

export interface ScheduleChainDeps {
  /** What the tool of a call declares. Throws TOOL_NOT_FOUND. */
  requirements(call: ChainCall): ResourceRequirements;
  /** What the machine has. */
  readonly capacity: Resources;
}

interface Needs {
  readonly node: ChainNode;
  readonly needs: Resources;
}

const NOTHING: Resources = { memory: 0, disk: 0, cpu: 0 };

const sum = (one: Resources, other: Resources): Resources => ({
  memory: one.memory + other.memory,
  disk: one.disk + other.disk,
  cpu: one.cpu + other.cpu,
});

const fits = (needs: Resources, capacity: Resources): boolean =>
  needs.memory <= capacity.memory && needs.disk <= capacity.disk && needs.cpu <= capacity.cpu;

export const shareOf = ({ memory, disk, cpu }: Resources): ResourceShare => ({
  memoryBytes: memory,
  diskBytes: disk,
  cores: cpu,
});

const unreadable = (field: string, sample: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${field} has to be a text such as ${sample}.`, {
    issues: [{ path: ['options', field], message: `has to be a text such as ${sample}` }],
  });

/** Computes what may be used at once: the smaller of what the machine has and what the caller says. */
const availableOf = (
  { memory, disk, cpu }: ChainScheduleOptions,
  capacity: Resources,
): Resources => {
  const read = (field: string, text: string | undefined, parse: typeof bytesOf) => {
    if (text === undefined) return Number.POSITIVE_INFINITY;
    const amount = parse(text);
    if (amount === undefined) throw unreadable(field, parse === coresOf ? '150%' : '512MB');
    return amount;
  };
  return narrowResources(capacity, {
    memory: read('memory', memory, bytesOf),
    disk: read('disk', disk, bytesOf),
    cpu: read('cpu', cpu, coresOf),
  });
};

/** Takes calls in their order while they fit; the first always does, so that each round has one. */
const takeRound = (
  ready: readonly Needs[],
  available: Resources,
  maxConcurrency: number,
): { readonly taken: readonly Needs[]; readonly used: Resources } => {
  const taken: Needs[] = [];
  let used = NOTHING;
  for (const each of ready) {
    const together = sum(used, each.needs);
    if (taken.length > 0 && !fits(together, available)) continue;
    taken.push(each);
    used = together;
    if (taken.length === maxConcurrency || !fits(used, available)) break;
  }
  return { taken, used };
};

/** Throws VALIDATION_ERROR for a chain that cannot be made, and TOOL_NOT_FOUND. */
export const scheduleChain = (
  calls: readonly ChainCall[],
  options: ChainScheduleOptions,
  { requirements, capacity }: ScheduleChainDeps,
): ChainSchedule => {
  const available = availableOf(options, capacity);
  const { maxConcurrency = Number.POSITIVE_INFINITY } = options;
  let left: readonly Needs[] = chainGraph(calls).nodes.map((node) => ({
    node,
    needs: requirementsOf(requirements(node.call)),
  }));
  const oversized = left.filter(({ needs }) => !fits(needs, available)).map(({ node }) => node.id);
  const over = new Set<ChainNode>();
  const rounds: ScheduleRound[] = [];
  while (left.length > 0) {
    const ready = left.filter(({ node }) => node.before.every((each) => over.has(each)));
    const { taken, used } = takeRound(ready, available, maxConcurrency);
    rounds.push({ calls: taken.map(({ node }) => node.id), uses: shareOf(used) });
    for (const { node } of taken) over.add(node);
    left = left.filter(({ node }) => !over.has(node));
  }
  return { available: shareOf(available), rounds, oversized };
};

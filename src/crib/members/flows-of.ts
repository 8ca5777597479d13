/** `crib.flows`: the flows of this process and the runs of the store. */
import type { CallAs } from '../../contract/call-options.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Events } from '../../contract/events.ts';
import type { CribFlows } from '../../contract/flow.ts';
import type { FlowFilter, FlowRun, JournalStep } from '../../contract/flow-store.ts';
import type { Explanation } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { DataFlows } from '../../flow/declared/data-flows.ts';
import { FlowRegistry } from '../../flow/flow-registry.ts';
import type { FlowService } from '../../flow/flow-service.ts';
import { noRun } from '../../flow/run-watchers.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import { tokenOf, tokenRefusal } from './caller-refusal.ts';
import { flowCost } from './flow-cost.ts';
import { openFlowSeals } from './flow-seals.ts';
import type { MemberDeps } from './member-deps.ts';

export interface FlowMemberDeps extends MemberDeps {
  readonly tools: Catalog;
  readonly events: Events;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  explain(tool: string, input: unknown, as: CallAs): Promise<Explanation>;
  /** The average time of a tool's calls so far. */
  recordedMs(tool: string): number | undefined;
}

/** Opens what reads flows as data, with the first of them. */
const openData = async (deps: FlowMemberDeps, registry: FlowRegistry): Promise<DataFlows> => {
  const [{ DataFlows }, { openMachine }] = await Promise.all([
    import('../../flow/declared/data-flows.ts'),
    import('./open-machine.ts'),
  ]);
  const { tools, explain, recordedMs, runtime } = deps;
  return new DataFlows({
    ...{ registry, tools, explain, recordedMs, now: () => runtime.now() },
    machine: await openMachine(),
    hasSecret: async (key) => (await deps.open()).engine.hasSecret(key),
  });
};

/** Opens the service with the first flow; it continues runs that other processes left. */
const openService = async (deps: FlowMemberDeps, registry: FlowRegistry): Promise<FlowService> => {
  const [{ FlowService }, { observedFlows }] = await Promise.all([
    import('../../flow/flow-service.ts'),
    import('../../flow/observed-flows.ts'),
  ]);
  const { runtime, events, tools, nextId, execute } = deps;
  const opened = async () => (await deps.open()).store;
  return new FlowService({
    ...{ registry, runtime, events, tools, nextId, execute },
    flows: lazyAsync(async () => observedFlows((await opened()).flows, events)),
    undo: async (executionId, as) => (await deps.open()).engine.undo(executionId, as),
    confirm: async (question, as) => (await deps.open()).engine.confirm(question, as),
    approval: async (id) => (await opened()).approvals.get(id),
    seals: lazyAsync(() => openFlowSeals(deps)),
    refusalOf: (caller) => {
      const tokenId = tokenOf(caller);
      if (tokenId === undefined) return undefined;
      return async () =>
        tokenRefusal(tokenId, { tokens: (await opened()).tokens, now: runtime.now() });
    },
  });
};

/** Adds the steps that are worked on to those on record, in the order in which they were begun. */
const withUnderWay = (
  recorded: readonly JournalStep[],
  underWay: readonly JournalStep[],
): readonly JournalStep[] => {
  const keys = new Set(recorded.map(({ key }) => key));
  const added = underWay.filter(({ key }) => !keys.has(key));
  if (added.length === 0) return recorded;
  return [...recorded, ...added].sort((one, other) => one.startedAt - other.startedAt);
};

const seesAll = (as: CallAs | undefined): boolean => {
  const { roles } = callerOf(as);
  return roles.includes('owner') || roles.includes('admin');
};

/** Says whether a caller may see and touch a run: its own, or all where it is an owner or admin. */
const mayTouch = ({ caller }: Pick<FlowRun, 'caller'>, as: CallAs | undefined): boolean =>
  seesAll(as) || caller.userId === callerOf(as).userId;

/** Narrows a filter to what the caller may see; `undefined` when that is nothing. */
const visibleTo = (filter: FlowFilter = {}, as: CallAs | undefined): FlowFilter | undefined => {
  if (seesAll(as)) return filter;
  const { userId } = callerOf(as);
  return filter.userId === undefined || filter.userId === userId
    ? { ...filter, userId }
    : undefined;
};

export interface OpenedFlows {
  readonly members: CribFlows;
  /** Stops continuing runs; they stay on record. */
  close(): Promise<void>;
}

export const flowsOf = (deps: FlowMemberDeps): OpenedFlows => {
  const registry = new FlowRegistry();
  let opened: Promise<FlowService> | undefined;
  const service = (): Promise<FlowService> => {
    opened ??= openService(deps, registry);
    return opened;
  };
  const stored = async () => (await deps.open()).store.flows;
  const readable = async (runId: string, as: CallAs | undefined) => {
    const run = await (await stored()).get(runId);
    return run && mayTouch(run, as) ? run : undefined;
  };
  /** Without a caller nothing is read: the library user may touch every run. */
  const isTouchable = async (runId: string, as: CallAs | undefined): Promise<boolean> =>
    as === undefined || (await readable(runId, as)) !== undefined;
  let openedData: Promise<DataFlows> | undefined;
  let dataFlows: DataFlows | undefined;
  const data = async (): Promise<DataFlows> => {
    openedData ??= openData(deps, registry);
    dataFlows = await openedData;
    return dataFlows;
  };
  return {
    members: {
      register: (flow) => {
        registry.register(flow);
        void service().then((each) => each.continueDue());
      },
      registered: async () =>
        (await import('../../flow/describe-flows.ts')).describeFlows(registry),
      finished: async (runId, as) => {
        if (!(await isTouchable(runId, as))) throw noRun(runId);
        return (await service()).whenOver(runId);
      },
      start: async (flow, input, as) => (await service()).start(flow, input, as),
      get: async (runId, as) => {
        const run = await readable(runId, as);
        return run && { ...run, cost: await flowCost(run, (await deps.open()).store.ledger) };
      },
      list: async (filter, as) => {
        const own = visibleTo(filter, as);
        return own === undefined ? [] : (await stored()).list(own);
      },
      steps: async (runId, as) => {
        if (!(await isTouchable(runId, as))) return [];
        const recorded = await (await stored()).steps(runId);
        return withUnderWay(recorded, (await opened)?.underWay(runId) ?? []);
      },
      send: async (runId, event, ...[payload = null, as]) =>
        (await isTouchable(runId, as)) && (await service()).send(runId, event, payload),
      cancel: async (runId, as) =>
        (await isTouchable(runId, as)) && (await service()).cancel(runId),
      resume: async (runId, options, as) =>
        (await isTouchable(runId, as)) && (await service()).resume(runId, options),
      registerData: async (source) => {
        const flow = await (await data()).register(source);
        void service().then((each) => each.continueDue());
        return flow;
      },
      data: () => dataFlows?.list() ?? [],
      validate: async (source) => (await data()).validate(source),
      plan: async (source, input, as) => (await data()).plan(source, input, as),
      optimize: async (source) => (await data()).optimize(source),
      graph: async (source) => (await data()).graph(source),
      nodes: async (runId, as) => {
        const run = await readable(runId, as);
        return run && (await data()).nodes(run, await (await stored()).steps(runId));
      },
    },
    close: async () => (await opened)?.close(),
  };
};

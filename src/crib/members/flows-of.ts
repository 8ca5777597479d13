/** `crib.flows`: the flows of this process and the runs of the store. */
import type { CallAs } from '../../contract/call-options.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Events } from '../../contract/events.ts';
import type { CribFlows } from '../../contract/flow.ts';
import type { FlowFilter, FlowRun } from '../../contract/flow-store.ts';
import type { ToolResult } from '../../contract/result.ts';
import { FlowRegistry } from '../../flow/flow-registry.ts';
import type { FlowService } from '../../flow/flow-service.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import { tokenOf, tokenRefusal } from './caller-refusal.ts';
import { assertPlanned, type DataFlowDeps, dataMembers, openData } from './data-flows-of.ts';
import { openFlowSeals } from './flow-seals.ts';
import type { MemberDeps } from './member-deps.ts';

export interface FlowMemberDeps extends MemberDeps, DataFlowDeps {
  readonly tools: Catalog;
  readonly events: Events;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
}

/** Opens the service with the first flow; it continues runs that other processes left. */
const openService = async (deps: FlowMemberDeps, registry: FlowRegistry): Promise<FlowService> => {
  const { FlowService } = await import('../../flow/flow-service.ts');
  const { runtime, events, tools, nextId, execute } = deps;
  const opened = async () => (await deps.open()).store;
  return new FlowService({
    ...{ registry, runtime, events, tools, nextId, execute },
    flows: async () => (await opened()).flows,
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
  /** Continues the runs of the project's flow files. */
  continueDue(): Promise<void>;
  /** Stops continuing runs; they stay on record. */
  close(): Promise<void>;
}

export const flowsOf = (deps: FlowMemberDeps): OpenedFlows => {
  const registry = new FlowRegistry();
  let opened: Promise<FlowService> | undefined;
  const service = (): Promise<FlowService> => {
    opened ??= openLoaded();
    return opened;
  };
  const stored = async () => (await deps.open()).store.flows;
  const data = lazyAsync(() => openData(deps, registry));
  /** The files are read first, so that a process without their flows does not pass their runs over. */
  const openLoaded = async (): Promise<FlowService> => {
    if (deps.flowFiles) await data();
    return openService(deps, registry);
  };
  const readable = async (runId: string, as: CallAs | undefined) => {
    const run = await (await stored()).get(runId);
    return run && mayTouch(run, as) ? run : undefined;
  };
  /** Without a caller nothing is read: the library user may touch every run. */
  const isTouchable = async (runId: string, as: CallAs | undefined): Promise<boolean> =>
    as === undefined || (await readable(runId, as)) !== undefined;
  return {
    members: {
      register: (flow) => {
        registry.register(flow);
        void service().then((each) => each.continueDue());
      },
      start: async (flow, input, { planDigest, ...as } = {}) => {
        if (planDigest !== undefined)
          await assertPlanned(await data(), { flow, input, planDigest, as });
        return (await service()).start(flow, input, as);
      },
      get: readable,
      list: async (filter, as) => {
        const own = visibleTo(filter, as);
        return own === undefined ? [] : (await stored()).list(own);
      },
      steps: async (runId, as) =>
        (await isTouchable(runId, as)) ? (await stored()).steps(runId) : [],
      send: async (runId, event, ...[payload = null, as]) =>
        (await isTouchable(runId, as)) && (await service()).send(runId, event, payload),
      cancel: async (runId, as) =>
        (await isTouchable(runId, as)) && (await service()).cancel(runId),
      resume: async (runId, options, as) =>
        (await isTouchable(runId, as)) && (await service()).resume(runId, options),
      ...dataMembers({ data, service, stored, readable }),
    },
    continueDue: async () => {
      if (deps.flowFiles) (await service()).continueDue();
    },
    close: async () => (await opened)?.close(),
  };
};

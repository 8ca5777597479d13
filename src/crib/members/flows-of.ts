/** `crib.flows`: the flows of this process and the runs of the store. */
import type { CallAs } from '../../contract/call-options.ts';
import type { Catalog } from '../../contract/catalog.ts';
import type { Events } from '../../contract/events.ts';
import type { CribFlows } from '../../contract/flow.ts';
import type { CribFlowData } from '../../contract/flow-data.ts';
import type { FlowFilter, FlowRun, Flows } from '../../contract/flow-store.ts';
import type { Explanation } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { DataFlows } from '../../flow/declared/data-flows.ts';
import { FlowRegistry } from '../../flow/flow-registry.ts';
import type { FlowService } from '../../flow/flow-service.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import { tokenOf, tokenRefusal } from './caller-refusal.ts';
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
  /** Trusted flow files of the project; read when flows are first used. */
  readonly flowFiles: ReadonlyMap<string, Uint8Array> | undefined;
}

/** Opens what reads flows as data, with the first of them. */
const openData = async (deps: FlowMemberDeps, registry: FlowRegistry): Promise<DataFlows> => {
  const [{ DataFlows }, { openMachine }] = await Promise.all([
    import('../../flow/declared/data-flows.ts'),
    import('./open-machine.ts'),
  ]);
  const { tools, explain, recordedMs, runtime } = deps;
  const dataFlows = new DataFlows({
    ...{ registry, tools, explain, recordedMs, now: () => runtime.now() },
    machine: await openMachine(),
    hasSecret: async (key) => (await deps.open()).engine.hasSecret(key),
  });
  for (const { file, line, column, message } of await dataFlows.load(deps.flowFiles ?? NO_FILES)) {
    runtime.log.warn(`.toolcrib/flows/${file}:${line}:${column}: ${message}`);
  }
  return dataFlows;
};

const NO_FILES: ReadonlyMap<string, Uint8Array> = new Map();

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

interface DataMemberDeps {
  data(): Promise<DataFlows>;
  service(): Promise<FlowService>;
  stored(): Promise<Flows>;
  /** Reads a run that the caller may see. */
  readable(runId: string, as: CallAs | undefined): Promise<FlowRun | undefined>;
}

/** The members for flows as data. */
const dataMembers = ({ data, service, stored, readable }: DataMemberDeps): CribFlowData => ({
  registerData: async (source) => {
    const flow = await (await data()).register(source);
    void service().then((each) => each.continueDue());
    return flow;
  },
  data: async () => (await data()).list(),
  fileFaults: async () => (await data()).fileFaults,
  validate: async (source) => (await data()).validate(source),
  plan: async (source, input, as) => (await data()).plan(source, input, as),
  optimize: async (source) => (await data()).optimize(source),
  graph: async (source) => (await data()).graph(source),
  nodes: async (runId, as) => {
    const run = await readable(runId, as);
    return run && (await data()).nodes(run, await (await stored()).steps(runId));
  },
});

export const flowsOf = (deps: FlowMemberDeps): OpenedFlows => {
  const registry = new FlowRegistry();
  let opened: Promise<FlowService> | undefined;
  const service = (): Promise<FlowService> => {
    opened ??= openLoaded();
    return opened;
  };
  const stored = async () => (await deps.open()).store.flows;
  let openedData: Promise<DataFlows> | undefined;
  const data = (): Promise<DataFlows> => {
    openedData ??= openData(deps, registry);
    return openedData;
  };
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
      start: async (flow, input, as) => (await service()).start(flow, input, as),
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

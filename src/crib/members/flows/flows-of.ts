/** `crib.flows`: the flows of this process and the runs of the store. */
import type { AuditLog } from '../../../contract/audit.ts';
import type { CallAs } from '../../../contract/call-options.ts';
import { type Caller, isOwner, provenNames } from '../../../contract/caller.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Events } from '../../../contract/events.ts';
import type { CribFlows, FlowCost, ListedFlowRun, ResumeOptions } from '../../../contract/flow.ts';
import type { CribFlowData } from '../../../contract/flow-data-members.ts';
import type { FlowFilter, FlowRun, Flows } from '../../../contract/flow-store.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { Ledger } from '../../../contract/store.ts';
import { MICROS_PER_USD } from '../../../contract/tool-cost.ts';
import { cutOffCalls } from '../../../flow/cut-off-calls.ts';
import type { DataFlows } from '../../../flow/declared/data-flows.ts';
import { FlowRegistry } from '../../../flow/flow-registry.ts';
import type { FlowService } from '../../../flow/flow-service.ts';
import { isOverdue, markMissingVersions } from '../../../flow/missing-version.ts';
import { settleStep } from '../../../flow/resume/settle-step.ts';
import { noRun } from '../../../flow/run-watchers.ts';
import { plainValue } from '../../../flow/turn.ts';
import { flowBudgetKey } from '../../../governance/ledger/budget.ts';
import { countStart } from '../../../governance/ledger/start-limits.ts';
import { lazyAsync } from '../../../kit/data/lazy.ts';
import { callerOf } from '../../../pipeline/new-call.ts';
import { tokenOf, tokenRefusal } from '../caller-refusal.ts';
import type { MemberDeps } from '../member-deps.ts';
import { type DataFlowDeps, dataMembers, openData, pinnedToPlan } from './data-flows-of.ts';
import { openFlowSeals } from './flow-seals.ts';
import { assertListedFlow, type FlowUse } from './listed-flows.ts';
import { redeemPlanApproval } from './plan-approvals.ts';
import { runSteps } from './run-steps.ts';

export interface FlowMemberDeps extends MemberDeps, DataFlowDeps {
  readonly tools: Catalog;
  readonly events: Events;
  readonly onlyAwaitedRuns: boolean;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  isJobCancelled(run: FlowRun): Promise<boolean>;
}

/** Opens the service, which continues runs that other processes left; called with the first flow. */
const openService = async (deps: FlowMemberDeps, registry: FlowRegistry): Promise<FlowService> => {
  const [{ FlowService }, { observedFlows }] = await Promise.all([
    import('../../../flow/flow-service.ts'),
    import('../../../flow/observed-flows.ts'),
  ]);
  const { runtime, events, tools, nextId, execute } = deps;
  const opened = async () => (await deps.open()).store;
  // Opened with the flows: the error of a call that was cut off is still redacted once the crib is closed.
  const engine = lazyAsync(async () => (await deps.open()).engine);
  return new FlowService({
    registry,
    runtime,
    events,
    tools,
    nextId,
    execute,
    flows: lazyAsync(async () => {
      await engine();
      return observedFlows((await opened()).flows, events);
    }),
    undo: async (executionId, as) => (await deps.open()).engine.undo(executionId, as),
    isJobCancelled: (run) => deps.isJobCancelled(run),
    cutOffCalls: async (run, steps) => cutOffCalls(run, steps, await opened()),
    confirm: async (question, as) => (await deps.open()).engine.confirm(question, as),
    approval: async (id) => (await opened()).approvals.get(id),
    withdraw: async (id) => {
      const { engine, store } = await deps.open();
      const record = await store.approvals.get(id);
      if (record?.state !== 'waiting') return;
      await engine.shared.approvalService.decide(record, { approve: false, by: 'cancelled' });
    },
    gathersRecords: !deps.syncEveryRecord,
    onlyAwaited: deps.onlyAwaitedRuns,
    redactError: async (error) => (await engine()).redactError(error),
    planCover: async (run) => (await deps.open()).engine.planCover(run),
    seals: lazyAsync(() => openFlowSeals(deps)),
    refusalOf: (caller) => {
      const tokenId = tokenOf(caller);
      if (tokenId === undefined) return undefined;
      return async () =>
        tokenRefusal(tokenId, { tokens: (await opened()).tokens, now: runtime.now() });
    },
  });
};

const seesAll = (as: CallAs | undefined): boolean => isOwner(callerOf(as));

/** Tells whether a caller may see and change a run: its own, or any when it is an owner or admin. */
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
  /** Opens the reader of flows as data. */
  data(): Promise<DataFlows>;
  /** Stops continuing runs; they stay on record. */
  close(): Promise<void>;
}

/** The parts that are opened with the first flow, the first flow as data, or the first read of a run. */
interface Opening {
  readonly registry: FlowRegistry;
  service(): Promise<FlowService>;
  /** Returns the service if it is open already: reading runs does not open it. */
  opened(): Promise<FlowService> | undefined;
  data(): Promise<DataFlows>;
  stored(): Promise<Flows>;
  ledger(): Promise<Ledger>;
  audit(): Promise<AuditLog>;
  now(): number;
  open: MemberDeps['open'];
  /** Rejects with PERMISSION_DENIED, on record, for a caller whose list does not name the flow. */
  assertListed(use: FlowUse, as: CallAs | undefined): Promise<void>;
  /** Throws RATE_LIMITED for a caller that has started or resumed too many runs, or sent too many events. */
  countStart(kind: 'runs' | 'events', caller: Caller): Promise<void>;
}

const openingOf = (deps: FlowMemberDeps): Opening => {
  const registry = new FlowRegistry();
  let opened: Promise<FlowService> | undefined;
  let openedData: Promise<DataFlows> | undefined;
  const data = (): Promise<DataFlows> => {
    openedData ??= openData(deps, registry);
    return openedData;
  };
  /** Reads the flow files first, so that the service knows their flows when it looks for runs that are due. */
  const openLoaded = async (): Promise<FlowService> => {
    if (deps.flowFiles) await data();
    return openService(deps, registry);
  };
  return {
    registry,
    service: () => {
      opened ??= openLoaded();
      return opened;
    },
    opened: () => opened,
    data,
    stored: async () => (await deps.open()).store.flows,
    ledger: async () => (await deps.open()).store.ledger,
    audit: async () => (await deps.open()).store.audit,
    now: () => deps.runtime.now(),
    open: deps.open,
    assertListed: (use, as) => assertListedFlow(use, as, deps),
    countStart: async (kind, caller) => {
      const { counters } = (await deps.open()).store;
      await countStart(kind, caller, { counters, runtime: deps.runtime, limits: deps.starts });
    },
  };
};

/** Reads from the ledger what the calls of a run have cost, those of its children included. */
const flowCost = async (
  { id, caller }: FlowRun,
  ledger: Pick<Ledger, 'lines'>,
): Promise<FlowCost> => {
  const key = flowBudgetKey(provenNames(caller).userId, id);
  const cost = { usd: 0, heldUsd: 0, tokens: 0 };
  for (const line of await ledger.lines(key)) {
    // `lines` matches keys by prefix. What children cost is counted in the line of this run already.
    if (line.key !== key) continue;
    cost.usd += line.spentMicros / MICROS_PER_USD;
    cost.heldUsd += line.heldMicros / MICROS_PER_USD;
    cost.tokens += line.tokens;
  }
  return cost;
};

type RunMembers = Pick<CribFlows, Exclude<keyof CribFlows, keyof CribFlowData | 'register'>>;

/** Marks runs whose version is missing. The flow files are read first, once such a run may be there. */
const marked = async (
  runs: readonly FlowRun[],
  { data, registry, stored, now }: Opening,
): Promise<readonly ListedFlowRun[]> => {
  if (!runs.some((run) => isOverdue(run, now()))) return runs;
  await data();
  return markMissingVersions(runs, { registry, flows: await stored(), now: now() });
};

interface SentEvent {
  readonly runId: string;
  readonly event: string;
  readonly payload: unknown;
  readonly as: CallAs | undefined;
}

/** Sends an event to a run, as one of those that the caller may send. */
const sendEvent = async (
  { runId, event, payload, as }: SentEvent,
  { service, countStart }: Opening,
): Promise<boolean> => {
  await countStart('events', callerOf(as));
  return (await service()).send(runId, event, payload);
};

/** Puts on record what became of the call in doubt, of a run that can then go on. */
const settled = async (
  said: Parameters<typeof settleStep>[0],
  version: string | undefined,
  { registry, open, now }: Opening,
): Promise<void> => {
  const { store } = await open();
  const run = await store.flows.get(said.runId);
  // Before the key is freed: a resume that failed afterwards would leave the call to whoever resumes next.
  if (run && version !== undefined && version !== run.version) {
    registry.assertTarget(run.flow, version);
  }
  await settleStep(said, { ...store, runtime: { now } });
};

/** Continues a run, after the doubt about one of its calls is ended where somebody says what became of it. */
const resumed = async (
  runId: string,
  { settle, ...options }: ResumeOptions = {},
  { by, ...opening }: Opening & { readonly by: Caller },
): Promise<boolean> => {
  // Each makes a turn, which replays the run: without a limit a loop of them keeps the process busy.
  await opening.countStart('runs', by);
  const runs = await opening.service();
  if (settle) await settled({ runId, settlement: settle, by }, options.version, opening);
  return runs.resume(runId, options);
};

/** Makes the members for runs, and the one that reads the states of their steps. */
const runMembers = (opening: Opening): RunMembers & Pick<CribFlowData, 'nodes'> => {
  const { registry, service, data, stored, ledger, open, assertListed, countStart } = opening;
  const readable = async (runId: string, as: CallAs | undefined) => {
    const run = await (await stored()).get(runId);
    return run && mayTouch(run, as) ? run : undefined;
  };
  /**
   * Tells whether the caller may change a run. Without a caller it is the program itself, which may
   * change every run.
   */
  const isTouchable = async (runId: string, as: CallAs | undefined): Promise<boolean> =>
    as === undefined || (await readable(runId, as)) !== undefined;
  return {
    registered: async () => {
      const { describeFlows } = await import('../../../flow/describe-flows.ts');
      return describeFlows(registry, (await data()).list());
    },
    start: async (flow, given, { planDigest, planApproval, ...asked } = {}) => {
      const isPlanned = planDigest !== undefined || planApproval !== undefined;
      // An object of a class is no copy yet, and could say something else once its plan was checked.
      const input = isPlanned ? plainValue(given) : given;
      await assertListed({ flow, action: 'start' }, asked);
      await countStart('runs', callerOf(asked));
      const as = await pinnedToPlan({ flow, input, planDigest, as: asked }, data);
      if (planApproval === undefined) return (await service()).start(flow, input, as);
      const request = { flow, input, as, approvalId: planApproval };
      const planned = await redeemPlanApproval(request, { data: await data(), ...(await open()) });
      return (await service()).start(flow, input, { ...as, ...planned });
    },
    finished: async (runId, as) => {
      if (!(await isTouchable(runId, as))) throw noRun(runId);
      return (await service()).whenOver(runId);
    },
    get: async (runId, as) => {
      const run = await readable(runId, as);
      if (!run) return undefined;
      const [shown = run] = await marked([run], opening);
      return { ...shown, cost: await flowCost(run, await ledger()) };
    },
    list: async (filter, as) => {
      const own = visibleTo(filter, as);
      return own === undefined ? [] : marked(await (await stored()).list(own), opening);
    },
    steps: async (runId, as) => ((await isTouchable(runId, as)) ? runSteps(runId, opening) : []),
    send: async (runId, event, ...[payload = null, as]) =>
      (await isTouchable(runId, as)) && sendEvent({ runId, event, payload, as }, opening),
    cancel: async (runId, as) => (await isTouchable(runId, as)) && (await service()).cancel(runId),
    resume: async (runId, options, as) =>
      (await isTouchable(runId, as)) && resumed(runId, options, { ...opening, by: callerOf(as) }),
    nodes: async (runId, as) => {
      const run = await readable(runId, as);
      return run && (await data()).nodes(run, await runSteps(runId, opening));
    },
  };
};

export const flowsOf = (deps: FlowMemberDeps): OpenedFlows => {
  const opening = openingOf(deps);
  const { registry, service, opened } = opening;
  return {
    members: {
      register: (flow) => {
        registry.register(flow);
        deps.events.emit('flow.registered', { flow: flow.name, version: flow.version });
        void service().then((flows) => flows.continueDue());
      },
      ...dataMembers(opening, deps),
      ...runMembers(opening),
    },
    continueDue: async () => {
      if (deps.flowFiles) (await service()).continueDue();
    },
    data: opening.data,
    close: async () => (await opened())?.close(),
  };
};

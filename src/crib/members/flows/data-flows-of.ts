/** The members of `crib.flows` for flows as data, and their dependencies. */
import type { CallAs } from '../../../contract/call-options.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Events } from '../../../contract/events.ts';
import type { StartFlowAs } from '../../../contract/flow.ts';
import type { CribFlowData } from '../../../contract/flow-data-members.ts';
import type { Explanation } from '../../../contract/policy.ts';
import type { DataFlows } from '../../../flow/declared/data-flows.ts';
import type { FlowRegistry } from '../../../flow/flow-registry.ts';
import type { FlowService } from '../../../flow/flow-service.ts';
import type { MemberDeps } from '../member-deps.ts';
import type { Machine } from '../open-machine.ts';
import type { FlowUse } from './listed-flows.ts';
import { requestPlanApproval } from './plan-approvals.ts';

export interface DataFlowDeps extends Pick<MemberDeps, 'runtime' | 'open'> {
  readonly tools: Catalog;
  explain(tool: string, input: unknown, as: CallAs): Promise<Explanation>;
  /** Returns the average time of a tool's calls so far. */
  recordedMs(tool: string): number | undefined;
  /** Trusted flow files of the project; read when flows are first used. */
  readonly flowFiles: ReadonlyMap<string, Uint8Array> | undefined;
  /** Opens what the machine has, and the gate that all flows and chains of this process share. */
  machine(): Promise<Machine>;
  /** Every record has to be on disk before its result is used: `audit.syncEveryRecord`. */
  readonly syncEveryRecord: boolean;
}

/** Opens the reader of flows as data; called with the first of them. */
export const openData = async (deps: DataFlowDeps, registry: FlowRegistry): Promise<DataFlows> => {
  const { DataFlows } = await import('../../../flow/declared/data-flows.ts');
  const { tools, explain, recordedMs, runtime } = deps;
  const dataFlows = new DataFlows({
    registry,
    tools,
    explain,
    recordedMs,
    machine: await deps.machine(),
    hasSecret: async (key) => (await deps.open()).engine.hasSecret(key),
    lacks: async (...call) => (await deps.open()).engine.preview.lacks(...call),
    planned: async (...call) => (await deps.open()).engine.preview.planned(...call),
    definition: async (...tool) => (await deps.open()).engine.preview.definition(...tool),
  });
  for (const { file, line, column, message } of await dataFlows.load(deps.flowFiles ?? new Map())) {
    runtime.log.warn(`.toolcrib/flows/${file}:${line}:${column}: ${message}`);
  }
  return dataFlows;
};

interface DataMemberDeps {
  data(): Promise<DataFlows>;
  service(): Promise<FlowService>;
  assertListed(use: FlowUse, as: CallAs | undefined): Promise<void>;
}

/** Makes the members for flows as data, without `nodes`, which reads a run. */
export const dataMembers = (
  { data, service, assertListed }: DataMemberDeps,
  { open, events }: Pick<DataFlowDeps, 'open'> & { readonly events: Pick<Events, 'emit'> },
): Omit<CribFlowData, 'nodes'> => ({
  registerData: async (source) => {
    const flow = await (await data()).register(source);
    events.emit('flow.registered', { flow: flow.name, version: flow.version });
    void service().then((flows) => flows.continueDue());
    return flow;
  },
  data: async () => (await data()).list(),
  fileFaults: async () => (await data()).fileFaults,
  validate: async (source) => (await data()).validate(source),
  plan: async (source, input, as) => {
    const flows = await data();
    const flow = flows.nameIn(source);
    if (flow !== undefined) await assertListed({ flow, action: 'plan' }, as);
    return flows.plan(source, input, as);
  },
  requestApproval: async (flow, input, as = {}) => {
    await assertListed({ flow, action: 'request_approval' }, as);
    return requestPlanApproval({ flow, input, as }, { data: await data(), ...(await open()) });
  },
  optimize: async (source) => (await data()).optimize(source),
  graph: async (source) => (await data()).graph(source),
});

/** The start of a run, and the plan that it has to fit. */
interface PlannedStart {
  readonly flow: string;
  readonly input: unknown;
  readonly planDigest: string | undefined;
  readonly as: StartFlowAs;
}

/**
 * Pins the start of a run to the version that was planned: another one may be registered before it starts.
 * Rejects with CONFLICT when the run would differ from its plan.
 */
export const pinnedToPlan = async (
  { flow, input, planDigest, as }: PlannedStart,
  data: () => Promise<DataFlows>,
): Promise<StartFlowAs> => {
  if (planDigest === undefined) return as;
  const named = as.version === undefined ? flow : `${flow}@${as.version}`;
  const version = await (await data()).plannedVersion(named, input, { digest: planDigest, as });
  return { ...as, version };
};

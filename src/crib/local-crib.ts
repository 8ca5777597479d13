/** A crib in this process. Opens its store when the first call needs it. */
import type { CribAlerts } from '../contract/alerts.ts';
import type { CallAs, CallOptions } from '../contract/call-options.ts';
import type { Caller } from '../contract/caller.ts';
import type { Catalog } from '../contract/catalog.ts';
import type { CribChains } from '../contract/chain.ts';
import type { Capabilities, StartedCall } from '../contract/crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type {
  CribApprovals,
  CribAudit,
  CribExecutions,
  CribResults,
  CribTools,
  CribUsage,
  Permissions,
} from '../contract/crib-members.ts';
import type { CribDevices } from '../contract/devices.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import type { CribFlows } from '../contract/flow.ts';
import type { CribHealth } from '../contract/health.ts';
import type { CribJobs, EnqueueOptions } from '../contract/job.ts';
import type { ToolLock } from '../contract/lock.ts';
import type { CribMetrics } from '../contract/metrics.ts';
import type { CribPackages } from '../contract/packages.ts';
import type { Explanation } from '../contract/policy.ts';
import {
  PROCESS_OPERATIONS,
  type ProcessRequest,
  type ProcessResult,
} from '../contract/process-request.ts';
import type { Job, JobEnd, NewJob } from '../contract/queue.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Servers } from '../contract/servers.ts';
import type { CribSources } from '../contract/sources.ts';
import type { Store } from '../contract/store.ts';
import type { TeamClient, TeamState } from '../contract/team.ts';
import type { Tool, ToolSource } from '../contract/tool.ts';
import { createExecutionIds } from '../governance/ids.ts';
import { issueSentence } from '../kit/text/issues-text.ts';
import { requestFault } from '../pipeline/request-fault.ts';
import type { Registry } from '../registry/registry.ts';
import { ALERT_CHECKS, type OpenedAlertMember } from './alerts/alerts-of.ts';
import { AUDIT_CHECKS } from './audit/audit-checks.ts';
import { auditOf } from './audit/audit-of.ts';
import { frameworkTools } from './framework-tools.ts';
import { HEALTH_CHECKS, type HealthSettings, healthOf } from './health/health-of.ts';
import { approvalsOf } from './members/approvals-of.ts';
import {
  type BackgroundDeps,
  type BackgroundMembers,
  backgroundOf,
} from './members/background-of.ts';
import { checked, checkedMethods } from './members/checked.ts';
import { executionsOf } from './members/executions-of.ts';
import {
  APPROVAL_CHECKS,
  EVENT_CHECKS,
  EXECUTION_CHECKS,
  PERMISSION_CHECKS,
  RESULT_CHECKS,
  SERVER_CHECKS,
} from './members/member-checks.ts';
import type { MemberDeps } from './members/member-deps.ts';
import {
  METRIC_CHECKS,
  type MetricMembers,
  type MetricsDeps,
  metricsOf,
} from './members/metrics-of.ts';
import { explainMissing, namedCall } from './members/named-call.ts';
import { permissionsOf } from './members/permissions-of.ts';
import { ReadySandboxes } from './members/ready-sandboxes.ts';
import { resultsOf } from './members/results-of.ts';
import { serversOf } from './members/servers-of.ts';
import { StartingCalls } from './members/starting-calls.ts';
import {
  CATALOG_CHECKS,
  LOCK_CHECKS,
  SYNC_CATALOG,
  TOOL_SET_CHECKS,
} from './members/tool-checks.ts';
import { METADATA_CHECKS, metadataOf } from './members/tool-metadata.ts';
import { USAGE_CHECKS, usageOf } from './members/usage-of.ts';
import { Opening } from './opening/opening.ts';
import { PACKAGE_CHECKS } from './packages/packages-of.ts';
import type { ServerConnections } from './sources/connected-servers.ts';
import { SOURCE_CHECKS } from './sources/sources-of.ts';

export interface LocalCribDeps extends Omit<MetricsDeps, 'engine' | 'starting'>, BackgroundDeps {
  readonly maxConcurrentTools: number;
  readonly hasModel: boolean;
  readonly healthSettings: HealthSettings;
  readonly sandboxes: Sandboxes;
  readonly servers: ServerConnections;
  readonly sources: CribSources;
  readonly packages: CribPackages;
  discoverTools(signal: AbortSignal, servers?: readonly string[]): Promise<void>;
  readonly lock: ToolLock;
  readonly alerts: OpenedAlertMember;
  /** Absent for a user who is in no team. */
  readonly team?: Pick<TeamClient, 'state'> | undefined;
}

/** Copies a request once, so that getters are read once; one that throws is refused as invalid. */
const readableRequest = (request: ProcessRequest): ProcessRequest => {
  try {
    return typeof request === 'object' && request !== null ? { ...request } : request;
  } catch {
    return undefined as unknown as ProcessRequest;
  }
};

export class LocalCrib implements CribHost {
  readonly #deps: LocalCribDeps;
  readonly #opening: Opening;
  readonly #nextId = createExecutionIds();
  readonly #starting = new StartingCalls();
  readonly #sandboxes: ReadySandboxes;

  readonly tools: Registry & Omit<CribTools, keyof Catalog>;
  readonly approvals: CribApprovals;
  readonly audit: CribAudit;
  readonly executions: CribExecutions;
  readonly permissions: Permissions;
  readonly results: CribResults;
  readonly usage: CribUsage;
  readonly #metrics: MetricMembers;
  readonly metrics: CribMetrics;
  readonly alerts: CribAlerts;
  readonly flows: CribFlows;
  readonly chains: CribChains;
  readonly jobs: CribJobs;
  readonly devices: CribDevices;
  readonly #background: BackgroundMembers;
  readonly health: CribHealth;
  readonly events: Events;
  readonly servers: Servers;
  readonly sources: CribSources;
  readonly packages: CribPackages;

  constructor(deps: LocalCribDeps) {
    this.#deps = deps;
    const { registry } = deps;
    this.#sandboxes = new ReadySandboxes(deps.sandboxes);
    this.#opening = new Opening({
      ...deps,
      starting: this.#starting,
      settled: () => this.#sandboxes.settled(),
      endBackground: () => this.#background.close(),
    });
    const members: MemberDeps = {
      ...deps,
      open: () => this.#opening.open(),
      engine: () => this.#opening.engine,
      starting: this.#starting,
    };
    const metricDeps = { ...members, keepMetrics: deps.keepMetrics, events: deps.events };
    this.#metrics = metricsOf(metricDeps);
    this.metrics = checked(this.#metrics.members, METRIC_CHECKS, { sync: ['watch'] });
    this.tools = this.#toolsOf(members);
    this.approvals = checked(approvalsOf(members), APPROVAL_CHECKS, { copied: ['decide'] });
    this.audit = this.#auditOf(members);
    this.executions = checked(executionsOf(members), EXECUTION_CHECKS, { sync: ['cancel'] });
    this.permissions = checked(permissionsOf(members, registry), PERMISSION_CHECKS, {
      copied: ['grant'],
    });
    this.results = checked(resultsOf(members), RESULT_CHECKS, { sync: ['forget'] });
    this.alerts = checked(deps.alerts.members, ALERT_CHECKS);
    this.usage = checked(usageOf({ ...members, metrics: this.metrics }), USAGE_CHECKS);
    this.#background = backgroundOf(members, deps, {
      nextId: () => this.#nextId(deps.runtime.now()),
      execute: (tool, input, as) => this.execute(tool, input, as),
      explain: (tool, input, as) => this.explain(tool, input, as),
    });
    this.flows = this.#background.flows;
    this.jobs = this.#background.jobs;
    this.devices = this.#background.devices;
    this.chains = this.#background.chains;
    this.health = this.#healthOf(members);
    this.events = checked(deps.events, EVENT_CHECKS, { sync: ['on'] });
    this.sources = checked(deps.sources, SOURCE_CHECKS);
    this.packages = checked(deps.packages, PACKAGE_CHECKS);
    this.servers = checked(serversOf({ ...deps, ...members }), SERVER_CHECKS, {
      sync: ['logs', 'watch'],
    });
  }

  #toolsOf(members: MemberDeps): LocalCrib['tools'] {
    const { lock, registry } = this.#deps;
    const metadataDeps = { ...members, tools: registry, lock, metrics: this.metrics };
    return Object.assign(
      registry,
      checkedMethods<Catalog>(registry, CATALOG_CHECKS, { sync: SYNC_CATALOG }),
      checked(frameworkTools(this), TOOL_SET_CHECKS),
      { lock: checked(lock, LOCK_CHECKS) },
      checked(metadataOf(metadataDeps), METADATA_CHECKS),
    );
  }

  #auditOf(members: MemberDeps): CribAudit {
    const { servers, sources } = this.#deps;
    return checked(auditOf({ ...members, servers, sources }), AUDIT_CHECKS, {
      sync: ['replayAll'],
    });
  }

  #healthOf(members: MemberDeps): CribHealth {
    const { open } = members;
    const own = { jobs: this.jobs, open, sandboxes: this.#sandboxes };
    return checked(healthOf({ ...members, ...this.#deps, ...own }), HEALTH_CHECKS, {
      sync: ['circuits'],
    });
  }

  keepCounting(): () => Promise<void> {
    return this.#metrics.keepCounting();
  }

  raiseAlerts(): () => Promise<void> {
    return this.#deps.alerts.raise();
  }

  continueFlows(): Promise<void> {
    return this.#background.continueFlows();
  }

  team(): TeamState | undefined {
    return this.#deps.team?.state();
  }

  async store(): Promise<Store> {
    return (await this.#opening.open()).store;
  }

  addJob(type: string, payload: unknown, options?: EnqueueOptions): Promise<Job> {
    return this.#background.addJob(type, payload, options);
  }

  deliverJob(job: NewJob, attempts: number): Promise<JobEnd> {
    return this.#background.deliverJob(job, attempts);
  }

  discoverTools(signal: AbortSignal, servers?: readonly string[]): Promise<void> {
    return this.#deps.discoverTools(signal, servers);
  }

  execute(tool: string | Tool, input: unknown, as?: CallAs): Promise<ToolResult<never>>;
  execute(tool: string | Tool, input: unknown, as?: CallAs): Promise<ToolResult> {
    const { engine } = this.#opening;
    return engine && typeof tool === 'string'
      ? engine.execute(tool, input, as)
      : this.start(tool, input, as).result;
  }

  start(tool: string | Tool, input: unknown, as?: CallAs): StartedCall<never>;
  start(tool: string | Tool, input: unknown, as?: CallAs): StartedCall {
    const executionId = this.#nextId(this.#deps.runtime.now());
    const call = { executionId, rawInput: input, ...namedCall(tool, as) };
    const { engine } = this.#opening;
    const result = engine ? engine.start(call) : this.#opening.startFirst(call);
    return { executionId, result: typeof tool === 'string' ? result : explainMissing(result) };
  }

  async process(
    request: ProcessRequest,
    caller?: Partial<Caller> & Pick<CallOptions, 'signal' | 'dailyUsd'>,
  ): Promise<ProcessResult> {
    const { runtime } = this.#deps;
    const started = runtime.elapsed();
    const { processRequest } = await import('../pipeline/process-request.ts');
    const copy = readableRequest(request);
    const outcome = await processRequest(copy, {
      tools: this.tools,
      caller,
      chains: this.chains,
      execute: (tool, input, as) => this.execute(tool, input, as),
    });
    const durationMs = runtime.elapsed() - started;
    // A request that is not an object is answered as well, as one without an operation.
    const { operation } = Object(copy) as ProcessRequest;
    return { operation, ...outcome, durationMs };
  }

  async explain(tool: string | Tool, input: unknown, as?: CallAs): Promise<Explanation> {
    const call = namedCall(tool, as);
    const fault = requestFault(call.toolName, call.as);
    if (fault) throw new ToolFailure('VALIDATION_ERROR', issueSentence(fault));
    return (await this.#opening.open()).engine.preview.explain(call.toolName, input, call.as);
  }

  getCapabilities(): Capabilities {
    const sources: Partial<Record<ToolSource, number>> = {};
    const entries = this.tools.list();
    for (const { tool } of entries) sources[tool.source] = (sources[tool.source] ?? 0) + 1;
    return {
      operations: PROCESS_OPERATIONS,
      tools: entries.length,
      sources,
      sandboxes: this.#opening.isClosed ? [] : this.#sandboxes.types(),
      store: this.#opening.storeLabel,
      maxConcurrentTools: this.#deps.maxConcurrentTools,
      model: this.#deps.hasModel,
    };
  }

  close(): Promise<void> {
    return this.#opening.close();
  }
}

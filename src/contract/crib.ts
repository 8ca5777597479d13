/** The crib as surfaces and adapters see it. */
import type { CribAlerts } from './alerts.ts';
import type { Estimate } from './call.ts';
import type { CallAs, CallOptions } from './call-options.ts';
import type { Caller } from './caller.ts';
import type { CribChains } from './chain.ts';
import type {
  CribApprovals,
  CribAudit,
  CribExecutions,
  CribResults,
  CribTools,
  CribUsage,
  Permissions,
} from './crib-members.ts';
import type { CribDevices } from './devices.ts';
import type { Events } from './events.ts';
import type { CribFlows } from './flow.ts';
import type { CribHealth } from './health.ts';
import type { CribJobs } from './job.ts';
import type { CribMetrics } from './metrics.ts';
import type { CribPackages } from './packages.ts';
import type { Explanation } from './policy.ts';
import type { PreconditionReport } from './precondition.ts';
import type { ProcessRequest, ProcessResult } from './process-request.ts';
import type { ToolResult } from './result.ts';
import type { SandboxType } from './sandbox.ts';
import type { Servers } from './servers.ts';
import type { CribSources } from './sources.ts';
import type { Tool, ToolSource } from './tool.ts';
import type { InputOf, KnownTool, OtherName, OutputOf, ToolMap } from './tool-types.ts';

/** What a dry run answers in `data`. */
export interface DryRunReport {
  readonly verdict: 'allow' | 'ask';
  readonly rule: string;
  readonly reason: string;
  readonly estimate: Estimate;
  readonly approvalsNeeded: number;
  readonly effects: readonly string[];
  readonly preconditions: PreconditionReport;
  readonly inspected: readonly string[];
}

/** Options of a call that walks every gate and runs nothing: its data is a report, not the tool's. */
export interface DryRunAs extends CallAs {
  readonly dryRun: true;
}

export interface Capabilities {
  readonly operations: readonly ProcessRequest['operation'][];
  readonly tools: number;
  readonly sources: Readonly<Partial<Record<ToolSource, number>>>;
  /**
   * The sandboxes known to work: before the first check, only those that need nothing of the machine.
   * `await crib.health.sandboxes()` checks all.
   */
  readonly sandboxes: readonly SandboxType[];
  readonly store: string;
  readonly maxConcurrentTools: number;
  readonly model: boolean;
}

/** A call that runs: watch or cancel it by its id, await its result. */
export interface StartedCall<O = unknown> {
  /** Known before the tool runs: `crib.executions` and the events go by it. */
  readonly executionId: string;
  /** Always a result, after `close` one with the code STORE_UNAVAILABLE. */
  readonly result: Promise<ToolResult<O>>;
}

/**
 * The object through which programs call tools. `Tools` types the calls by name: `createCrib` infers it
 * from its tools, or gets it explicitly, as in `createCrib<{ greet: … }>()`.
 */
export interface Crib<Tools extends ToolMap = ToolMap> {
  /**
   * Runs a tool through every gate. Always answers with a result; after `close` it has the code
   * STORE_UNAVAILABLE. An unknown option is refused with VALIDATION_ERROR. Given a tool instead of a
   * name, input and data are typed by it; it has to be registered.
   *
   * @example
   * const result = await crib.execute(greet, { name: 'Ada' }, { userId: 'ada' });
   * if (result.success) console.log(result.data);
   * else console.log(result.error.code);
   */
  // The compiler explains a wrong call by the last signature: the one of tools whose types it knows.
  execute<N extends string>(
    tool: OtherName<Tools, N>,
    input: unknown,
    as: DryRunAs,
  ): Promise<ToolResult<DryRunReport>>;
  execute<N extends string>(
    tool: OtherName<Tools, N>,
    input: unknown,
    as?: CallAs,
  ): Promise<ToolResult>;
  execute<T extends KnownTool<Tools>>(
    tool: T,
    input: InputOf<Tools, T>,
    as: DryRunAs,
  ): Promise<ToolResult<DryRunReport>>;
  execute<T extends KnownTool<Tools>>(
    tool: T,
    input: InputOf<Tools, T>,
    as?: CallAs,
  ): Promise<ToolResult<OutputOf<Tools, T>>>;
  /**
   * Starts a call like `execute`, and gives its id at once.
   *
   * @example
   * const call = crib.start(greet, { name: 'Ada' });
   * console.log(await crib.executions.status(call.executionId));
   * const result = await call.result;
   */
  start<N extends string>(tool: OtherName<Tools, N>, input: unknown, as?: CallAs): StartedCall;
  start<T extends KnownTool<Tools>>(
    tool: T,
    input: InputOf<Tools, T>,
    as?: CallAs,
  ): StartedCall<OutputOf<Tools, T>>;
  /**
   * Answers a request of the tool container contract. The signal cancels all calls of the request.
   *
   * @example
   * const { status, results } = await crib.process({
   *   operation: 'execute_chain',
   *   calls: [{ tool: 'greet', input: { name: 'Ada' } }],
   * });
   */
  process(
    request: ProcessRequest,
    caller?: Partial<Caller> & Pick<CallOptions, 'signal' | 'dailyUsd'>,
  ): Promise<ProcessResult>;
  /**
   * Says which rule decides about a call, and why. Runs nothing. Fails with the code of the gate that
   * refuses the call before any rule is asked.
   *
   * @example
   * const { verdict } = await crib.explain('write_file', { path: 'a.txt', content: '' });
   * console.log(verdict.effect, verdict.rule);
   */
  explain(tool: string | Tool, input: unknown, as?: CallAs): Promise<Explanation>;
  /**
   * The tools that can be called: register, find and switch them, and hand them to a model.
   *
   * @example
   * crib.tools.register(greet);
   * const { definitions } = crib.tools.forModel('openai', { tier: ['read_only'] });
   */
  readonly tools: CribTools;
  /**
   * The approvals that calls wait for.
   *
   * @example
   * const [question] = await crib.approvals.list();
   * if (question) await crib.approvals.decide(question.id, { approve: true, by: 'ada' });
   */
  readonly approvals: CribApprovals;
  /**
   * The record of every call.
   *
   * @example
   * console.log((await crib.audit.verify()).ok);
   */
  readonly audit: CribAudit;
  /**
   * The calls by their execution id.
   *
   * @example
   * const { metadata } = await crib.execute('write_file', { path: 'a.txt', content: '' });
   * await crib.executions.undo(metadata.executionId);
   */
  readonly executions: CribExecutions;
  /**
   * Standing grants: who may do what until it is taken back.
   *
   * @example
   * console.log(await crib.permissions.list());
   */
  readonly permissions: Permissions;
  /**
   * Results that were too large to return, and cached ones.
   *
   * @example
   * const first = await crib.results.read(handle);
   */
  readonly results: CribResults;
  /**
   * What was spent, against which limits.
   *
   * @example
   * console.log(await crib.usage.summary());
   */
  readonly usage: CribUsage;
  /**
   * Counts and times of calls over any range of time.
   *
   * @example
   * const { calls, errorRate, p95ExecutionTime } = await crib.metrics.summary();
   */
  readonly metrics: CribMetrics;
  /**
   * Conditions over figures and states, and the actions when they hold.
   *
   * @example
   * const firing = (await crib.alerts.list()).filter(({ state }) => state === 'firing');
   */
  readonly alerts: CribAlerts;
  /**
   * Durable functions whose steps are governed calls.
   *
   * @example
   * const running = await crib.flows.list({ status: 'running' });
   */
  readonly flows: CribFlows;
  /**
   * Work in the background: jobs, their queues and schedules.
   *
   * @example
   * const dead = await crib.jobs.list({ state: 'dead' });
   */
  readonly jobs: CribJobs;
  /**
   * Where notifications of a user go.
   *
   * @example
   * const [token = ''] = process.argv.slice(2);
   * await crib.devices.add({ token, platform: 'ios' });
   */
  readonly devices: CribDevices;
  /**
   * Calls that are made at once, each with what earlier ones gave.
   *
   * @example
   * const { overallStatus } = await crib.chains.execute([{ tool: 'greet', input: { name: 'Ada' } }]);
   */
  readonly chains: CribChains;
  /**
   * The MCP servers that are configured.
   *
   * @example
   * for (const { name, state } of crib.servers.list()) console.log(name, state);
   */
  readonly servers: Servers;
  /**
   * The sources of tools beside MCP servers: APIs, workflows, packages, the catalog of a team.
   *
   * @example
   * for (const { name, kind, tools } of crib.sources.list()) console.log(name, kind, tools);
   */
  readonly sources: CribSources;
  /**
   * Packages of tools: install, update and remove them, and make one.
   *
   * @example
   * for (const { name, version } of crib.packages.list()) console.log(name, version);
   */
  readonly packages: CribPackages;
  /**
   * Whether the parts work: tools, MCP servers, sources, store, queue, model, sandboxes.
   *
   * @example
   * const { healthy, checks } = await crib.health.check();
   */
  readonly health: CribHealth;
  /**
   * What happens in the crib, as events that programs can listen to.
   *
   * @example
   * const stop = crib.events.on('call.finished', ({ tool, result }) => console.log(tool, result.status));
   * stop();
   */
  readonly events: Events;
  /**
   * Counts what the crib offers.
   *
   * @example
   * console.log(crib.getCapabilities().tools);
   */
  getCapabilities(): Capabilities;
  /**
   * Waits for running calls, cleans tools up, closes the store.
   *
   * @example
   * await crib.close();
   */
  close(): Promise<void>;
}

/** Whether the parts of a crib work: what is checked, what a check answers, and what is kept of it. */
import type { ErrorCode } from './errors.ts';
import type { Sandboxes } from './sandbox.ts';

/**
 * What can be checked, and what a failure means. A server whose `fatal` parts do not work is not ready;
 * everything else is reported, and makes the crib unhealthy but not unready.
 */
export const HEALTH_KINDS = {
  store: 'fatal',
  queue: 'reported',
  model: 'reported',
  sandbox: 'reported',
  server: 'reported',
  source: 'reported',
  tool: 'reported',
} as const satisfies Readonly<Record<string, 'fatal' | 'reported'>>;

export type HealthKind = keyof typeof HEALTH_KINDS;

/** One thing that was looked at. */
export interface HealthCheck {
  readonly name: string;
  /** `warning` when something optional is missing, `broken` when something needed is. */
  readonly state: 'ok' | 'warning' | 'broken';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
  /** What is missing was never set up here, such as a credential. It is no outage. */
  readonly notSetUp?: true;
}

/** `limited` when something optional is missing, `unwell` when a call would fail. */
export type HealthState = 'well' | 'limited' | 'unwell';

/** How the last calls of a tool went, as the record has it. */
export interface ToolRecord {
  /** When it was last called, refused calls included; absent when it never was. */
  readonly lastUsedAt?: number;
  /** The calls that ran, of the last hundred. */
  readonly ran: number;
  /** The share of them that failed, 0 to 1; absent when none ran. */
  readonly errorRate?: number;
  /** How many failed since the last one that did not, and with which code. */
  readonly failedInARow: number;
  readonly lastCode?: ErrorCode;
  /** When a call was last refused because the circuit was open; absent when a later one succeeded. */
  readonly restedAt?: number;
}

export interface HealthCheckResult {
  /** `store`, `queue`, `model`, or the kind and the name, as in `tool:git` and `server:github`. */
  readonly subject: string;
  readonly kind: HealthKind;
  readonly name: string;
  /** False when the state is `unwell`. */
  readonly healthy: boolean;
  readonly state: HealthState;
  /** All checks, also those that found nothing. */
  readonly checks: readonly HealthCheck[];
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly durationMs: number;
  /** Of a tool; absent when the record cannot be read. */
  readonly record?: ToolRecord;
}

/** Tells whether a part fails that was set up; one that never was is no outage. */
export const isOutage = ({ checks }: Pick<HealthCheckResult, 'checks'>): boolean =>
  checks.some(({ state, notSetUp }) => state === 'broken' && notSetUp !== true);

export interface HealthStatus {
  /** Nothing that was set up is unwell. */
  readonly healthy: boolean;
  /** Nothing that is fatal for a server is unwell: what `/readyz` says. */
  readonly ready: boolean;
  readonly checks: readonly HealthCheckResult[];
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

/** A subject came into another state. */
export interface HealthChange {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly state: HealthState;
  /** The message of the first check that was not ok. */
  readonly reason?: string;
}

export interface HealthHistory {
  /** Absent when it was never checked. */
  readonly last?: HealthCheckResult;
  /** Newest first; the first result counts as a change. */
  readonly changes: readonly HealthChange[];
}

/** The circuit breaker of a tool, in this process. */
export interface CircuitStatus {
  readonly tool: string;
  /** `half-open`: it has rested, and one call may try whether it works again. */
  readonly state: 'closed' | 'open' | 'half-open';
  /** Failures since the last success. */
  readonly failures: number;
  /** Milliseconds since the epoch: when an open circuit lets a call through again. */
  readonly openUntil?: number;
  /** The server, e.g. `mcp:github`, whose circuit this is: it is open for all tools of the server. */
  readonly server?: string;
  /**
   * For how many callers the circuit is open: failures that may be the caller's fault, such as an error
   * that the tool threw, do not affect others. Absent when it is open for all callers or for none.
   */
  readonly callers?: number;
}

export interface HealthSchedule {
  /** A subject, or `all`. */
  readonly subject: string;
  /** Five fields, or a shorthand such as `@hourly`. */
  readonly cron: string;
  /** An IANA name; UTC when absent. */
  readonly timeZone?: string;
  /** It comes from the setting `observation.healthChecks` and cannot be removed here. */
  readonly configured?: true;
}

export interface CheckOptions {
  /** How long each subject may take; 15 seconds when absent. */
  readonly timeoutMs?: number;
}

export interface CheckAllOptions extends CheckOptions {
  /** Only these; all when absent. */
  readonly kinds?: readonly HealthKind[];
  /**
   * Starts MCP servers that do not run, to ask them; yes when absent. `untried` leaves out those that
   * failed when they were last started: they would be waited for again.
   */
  readonly startServers?: boolean | 'untried';
}

/** Whether the parts of the crib work. A check never runs a tool, asks a model or spends money. */
export interface CribHealth {
  /**
   * Checks everything, or one subject: a tool by its name, `store`, `queue`, `model`, or `server:github`,
   * `source:petstore`, `sandbox:process`, `tool:git`. What does not answer in time is unwell. Rejects
   * only for a subject that does not exist, with NOT_FOUND.
   *
   * @example
   * const { healthy, checks } = await crib.health.check();
   * for (const { subject, state } of checks) console.log(subject, state);
   */
  check(options?: CheckAllOptions): Promise<HealthStatus>;
  check(subject: string, options?: CheckOptions): Promise<HealthCheckResult>;
  /**
   * Gives the last results, checked by whichever process of the store. Nothing where nothing was checked.
   *
   * @example
   * console.log((await crib.health.latest())?.healthy);
   */
  latest(): Promise<HealthStatus | undefined>;
  /**
   * Gives the last result of a subject and how its state changed.
   *
   * @example
   * const { changes } = await crib.health.history('server:github');
   */
  history(subject: string): Promise<HealthHistory>;
  /**
   * Reads whether the circuit of a tool is open because it kept failing. Rejects with NOT_FOUND.
   *
   * @example
   * const { state, openUntil } = await crib.health.circuit('web_search');
   */
  circuit(tool: string): Promise<CircuitStatus>;
  /**
   * Lists the circuits that are not closed, one for each tool.
   *
   * @example
   * for (const { tool, state } of crib.health.circuits()) console.log(tool, state);
   */
  circuits(): readonly CircuitStatus[];
  /**
   * Checks a subject, or `all`, again and again, from now on. `toolcrib serve` does it; of several
   * processes on one store, one each time. Replaces the schedule that the subject had.
   *
   * @example
   * await crib.health.schedule('server:github', '0 * * * *');
   */
  schedule(subject: string, cron: string, options?: { readonly timeZone?: string }): Promise<void>;
  /**
   * Ends a schedule. False when there was none.
   *
   * @example
   * await crib.health.unschedule('server:github');
   */
  unschedule(subject: string): Promise<boolean>;
  /**
   * Lists the schedules, that of the configuration included.
   *
   * @example
   * for (const { subject, cron } of await crib.health.schedules()) console.log(subject, cron);
   */
  schedules(): Promise<readonly HealthSchedule[]>;
  /**
   * Reads which sandboxes work on this machine, and what the others need.
   *
   * @example
   * for (const { type, ready } of await crib.health.sandboxes()) console.log(type, ready);
   */
  sandboxes(): ReturnType<Sandboxes['readiness']>;
}

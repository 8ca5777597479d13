/** What the HTTP surface is handed besides the crib: the outside world, and what the crib lacks. */
import type { ApprovalRequest } from '../../contract/approver.ts';
import type { AuditCheckpoint, AuditFilter, AuditVerification } from '../../contract/audit.ts';
import type { CompletionOutcome, InvocationCompletion } from '../../contract/invocation.ts';
import type { LogLevels } from '../../contract/log-level.ts';
import type { RuleEffect } from '../../contract/policy.ts';
import type { JobEnd, NewJob } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { TeamCatalog, TeamState } from '../../contract/team.ts';
import type { Tier } from '../../contract/tool.ts';
import {
  type ArgumentCheck,
  amount,
  callback,
  fields,
  flag,
  object,
  optional,
  runtime,
  text,
  texts,
} from '../../kit/data/check-arguments.ts';
import type { Answer } from '../door/answer.ts';
import type { HttpRequest } from '../door/http-request.ts';
import type { ListenLimits } from '../door/listen.ts';
import type { Identity } from './auth/identity.ts';
import type { QstashKeys } from './auth/qstash-signature.ts';
import type { ServerEditor } from './server-editor.ts';
import type { SourceEditor } from './source-editor.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface DoctorCheck extends Check {
  readonly fix?: string;
}

export interface SettingLine {
  readonly path: string;
  /** Never a secret. */
  readonly value: unknown;
  readonly default: unknown;
  readonly source: string;
  readonly description: string;
}

export interface SettingsView {
  readonly config: readonly SettingLine[];
  readonly doctor: readonly DoctorCheck[];
}

export interface RuleView {
  readonly id: string;
  readonly effect: RuleEffect;
  readonly source: string;
  readonly tools?: readonly string[];
  readonly tiers?: readonly Tier[];
  readonly condition?: string;
  readonly reason?: string;
  readonly shadow: boolean;
}

export interface PolicyView {
  readonly version: string;
  readonly rules: readonly RuleView[];
}

export interface TraceStage {
  readonly stage: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly outcome: string;
}

export interface ToolUsage {
  readonly calls: number;
  readonly lastUsed?: number;
}

/** An OpenID issuer whose JWTs are accepted. */
export interface OidcOptions {
  readonly issuer: string;
  readonly audience: string;
  /**
   * The claim that names the role; `toolcrib_role` when absent. A JWT without a known role is
   * refused.
   */
  readonly roleClaim?: string;
  /** Where its keys are; found by discovery when absent. */
  readonly jwksUri?: string;
}

export interface HttpLimits extends ListenLimits {
  readonly bodyBytes?: number;
  /** Failed attempts of one address within a minute. */
  readonly failedAttempts?: number;
}

/** What is needed to take jobs that QStash delivers. */
export interface JobDelivery {
  /** Gives the address of a type's route as QStash knows it. */
  urlFor(type: string): string;
  /** Reads the keys; nothing where none is set, and then every delivery is refused. */
  keys(): Promise<QstashKeys | undefined>;
  /** Runs a job whose delivery is verified, as the caller under its seal. */
  run(job: NewJob, attempts: number): Promise<JobEnd>;
}

/** What is needed to take the answers of workflows that were started by a call. */
export interface WorkflowCallbacks {
  /**
   * Reads the secret of a source; nothing where it has none, and then every callback is refused.
   */
  secret(source: string): Promise<string | undefined>;
  /** Takes an answer whose signature is good. */
  complete(source: string, completion: InvocationCompletion): Promise<CompletionOutcome>;
}

export interface HttpDeps {
  readonly runtime: Runtime;
  readonly version: string;
  randomBytes(size: number): Uint8Array;
  /** For the discovery and the keys of the issuer. */
  readonly fetch?: typeof fetch;
  readonly oidc?: OidcOptions;
  /** Host names, without a port, besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may call, e.g. `https://ops.example.com`; they get CORS headers. */
  readonly origins?: readonly string[];
  /** The address at which clients reach this server; https makes cookies secure. */
  readonly publicUrl?: string;
  readonly limits?: HttpLimits;
  /** The folder of the built console; none is served when absent. */
  readonly consoleFolder?: string;
  /** Metrics without a token, for a scraper on the same machine. */
  readonly openMetrics?: boolean;
  readiness?(): Promise<readonly Check[]>;
  policy?(): Promise<PolicyView>;
  settings?(): Promise<SettingsView>;
  exportAudit?(options: {
    readonly format: 'jsonl' | 'csv';
    readonly filter: Omit<AuditFilter, 'before' | 'limit'>;
  }): AsyncIterable<{ readonly text: string }>;
  /** Signs a checkpoint in place of the crib's method, and stores what it signed. */
  checkpoint?(): Promise<AuditCheckpoint>;
  verifyAudit?(): Promise<AuditVerification>;
  trace?(executionId: string): readonly TraceStage[] | undefined;
  toolUsage?(tool: string): ToolUsage | undefined;
  hasSecret?(configKey: string): Promise<boolean>;
  /** Absent where the servers of the configuration must not be changed over HTTP. */
  readonly serverEditor?: ServerEditor;
  /** The same for other sources of tools. */
  readonly sourceEditor?: SourceEditor;
  /** Words a question for a person, with nothing invisible in it. */
  describe?(request: ApprovalRequest, now: number): string;
  /** Reads a signed approval link; nothing for one that is not ours or has expired. */
  readLink?(
    token: string,
  ): Promise<{ readonly approvalId: string; readonly approve: boolean } | undefined>;
  /**
   * Answer `/v1/events`, `/metrics` and `/mcp`, after authentication. Their streams of events end
   * when the client may no longer read.
   */
  events?(request: HttpRequest, identity: Identity): Answer | Promise<Answer>;
  metrics?(request: Request): Response | Promise<Response>;
  mcp?(request: HttpRequest, identity: Identity): Promise<Answer>;
  /** Absent where the level of the log cannot be changed while the server runs. */
  readonly logLevels?: LogLevels;
  /** Absent where this server publishes no catalog for a team. */
  readonly catalog?: TeamCatalog;
  /** Returns what this machine has of the catalog of its team; nothing when it is in none. */
  team?(): TeamState | undefined;
  /** Absent where no jobs are delivered to this server. */
  readonly jobDelivery?: JobDelivery;
  /** Absent where no workflow answers to this server. */
  readonly workflowCallbacks?: WorkflowCallbacks;
}

const oidc = fields({
  issuer: text,
  audience: text,
  roleClaim: optional(text),
  jwksUri: optional(text),
} satisfies Record<keyof OidcOptions, ArgumentCheck>);

const limits = fields({
  bodyBytes: optional(amount),
  failedAttempts: optional(amount),
  headersTimeoutMs: optional(amount),
  requestTimeoutMs: optional(amount),
  maxConnections: optional(amount),
} satisfies Record<keyof HttpLimits, ArgumentCheck>);

/** Finds what is wrong with what a surface is handed: a misspelt `origins` would go unnoticed. */
export const httpDeps: ArgumentCheck = fields({
  runtime,
  version: text,
  randomBytes: callback,
  fetch: optional(callback),
  oidc: optional(oidc),
  hosts: optional(texts),
  origins: optional(texts),
  publicUrl: optional(text),
  limits: optional(limits),
  consoleFolder: optional(text),
  openMetrics: optional(flag),
  readiness: optional(callback),
  policy: optional(callback),
  settings: optional(callback),
  exportAudit: optional(callback),
  checkpoint: optional(callback),
  verifyAudit: optional(callback),
  trace: optional(callback),
  toolUsage: optional(callback),
  hasSecret: optional(callback),
  serverEditor: optional(object),
  sourceEditor: optional(object),
  describe: optional(callback),
  readLink: optional(callback),
  events: optional(callback),
  metrics: optional(callback),
  mcp: optional(callback),
  logLevels: optional(object),
  catalog: optional(object),
  team: optional(callback),
  jobDelivery: optional(object),
  workflowCallbacks: optional(object),
} satisfies Record<keyof HttpDeps, ArgumentCheck>);

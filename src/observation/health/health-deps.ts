/** What the checks of one round look at; what several of them share is asked once a round. */
import type { AuditLog } from '../../contract/audit.ts';
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { CircuitStatus } from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Sandboxes, SandboxReadiness, SandboxType } from '../../contract/sandbox.ts';
import type { ServerStatus } from '../../contract/servers.ts';
import type { SourceStatus } from '../../contract/sources.ts';
import type { Store } from '../../contract/store.ts';
import type { Breaker } from '../../contract/tool-limits.ts';

/** Checks that were begun and have not ended, by subject: a check that hangs is not begun twice. */
export type PendingChecks = Set<string>;

export interface ToolCheckDeps {
  readonly runtime: Pick<Runtime, 'after' | 'now'>;
  /** How long anything may take to answer. */
  readonly timeoutMs: number;
  /** The breaker of tools that declare none; absent where the configuration switches it off. */
  readonly breaker: Breaker | undefined;
  /** Absent when the record cannot be read. */
  readonly audit: Pick<AuditLog, 'query'> | undefined;
  readonly pending: PendingChecks;
  /** Gives the value that a call would use; `undefined` where it is missing or blank. */
  secret(key: string): Promise<string | undefined>;
  /** Says whether a program is on the PATH or comes with this one. */
  hasProgram(name: string): Promise<boolean>;
  sandbox(type: SandboxType): Promise<SandboxReadiness>;
  /** Asks a server; starts it where the round may. Rejects when it does not answer. */
  server(name: string): Promise<ServerStatus>;
  missingTools(tool: string): readonly string[];
  /** Absent before anything was called. */
  circuit(tool: string): CircuitStatus | undefined;
}

/** The configured model. */
export interface ModelFacts {
  readonly label: string;
  readonly missingPackages: readonly string[];
  /** The secret that holds its key; absent where it needs none. */
  readonly keyName?: string;
  readonly install: string;
}

export interface HealthDeps extends ToolCheckDeps {
  store(): Promise<Pick<Store, 'label' | 'isReadOnly' | 'memory'>>;
  /** Asks the queue for something. Rejects where it does not answer. */
  askQueue(): Promise<void>;
  /** `given` is one that the program brings itself. */
  readonly model: ModelFacts | 'given' | undefined;
  sandboxes(): ReturnType<Sandboxes['readiness']>;
  servers(): readonly ServerStatus[];
  sources(): readonly SourceStatus[];
  /** Reads the definitions of a source, and changes nothing. Rejects with the reason. */
  testSource(name: string): Promise<void>;
  /** Tools that are switched on. */
  tools(): readonly CatalogEntry[];
  /** A tool by its name or an alias, in any state. */
  tool(name: string): CatalogEntry | undefined;
  /** Hides secrets in what checks say. */
  redact(text: string): string;
}

/** The dependencies of the checks of one round. What several checks share is read once a round. */
import type { AuditLog } from '../../contract/audit.ts';
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { CircuitStatus } from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Sandboxes, SandboxReadiness, SandboxType } from '../../contract/sandbox.ts';
import type { ServerStatus } from '../../contract/servers.ts';
import type { SourceStatus } from '../../contract/sources.ts';
import type { Store } from '../../contract/store.ts';
import type { Breaker } from '../../contract/tool-limits.ts';

/** Names of the tools whose own check is still running: a check that hangs is not started twice. */
export type PendingChecks = Set<string>;

export interface ToolCheckDeps {
  readonly runtime: Pick<Runtime, 'after' | 'now'>;
  /** The time limit of each check. */
  readonly timeoutMs: number;
  /** The breaker of tools that declare none; absent where the configuration switches it off. */
  readonly breaker: Breaker | undefined;
  /** Absent when the record cannot be read. */
  readonly audit: Pick<AuditLog, 'query'> | undefined;
  readonly pending: PendingChecks;
  /** Reads a secret as a call does; `undefined` when it is missing or blank. */
  secret(key: string): Promise<string | undefined>;
  /** Tells whether a program is on the PATH or comes with Toolcrib. */
  hasProgram(name: string): Promise<boolean>;
  sandbox(type: SandboxType): Promise<SandboxReadiness>;
  /** Asks a server for its status, and starts it where the round allows that. Rejects when it does not answer. */
  server(name: string): Promise<ServerStatus>;
  missingTools(tool: string): readonly string[];
  /** Returns the circuit of a tool; `undefined` before the first call. */
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
  /** Sends the queue a request. Rejects when it does not answer. */
  askQueue(): Promise<void>;
  /** `given` when the program brings its own model; `undefined` without one. */
  readonly model: ModelFacts | 'given' | undefined;
  sandboxes(): ReturnType<Sandboxes['readiness']>;
  servers(): readonly ServerStatus[];
  sources(): readonly SourceStatus[];
  /** Reads the definitions of a source without loading them. Rejects with the reason of a failure. */
  testSource(name: string): Promise<void>;
  /** Lists the tools that are switched on. */
  tools(): readonly CatalogEntry[];
  /** Finds a tool in any state by its name or an alias. */
  tool(name: string): CatalogEntry | undefined;
  /** Hides secrets in messages of checks. */
  redact(text: string): string;
}

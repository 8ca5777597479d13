/** The port every isolation driver implements, and what a tool may ask of it. */

export type SandboxType = 'wasm' | 'process' | 'container' | 'vm' | 'worker';

export interface ResourceLimits {
  readonly memoryMb?: number;
  readonly cpus?: number;
  readonly processes?: number;
  /** Of stdout and stderr together, or of a value as JSON. */
  readonly outputBytes?: number;
}

export interface SandboxConfig {
  readonly type: SandboxType;
  readonly resourceLimits?: ResourceLimits;
  /** Hosts that may be reached; none when absent. */
  readonly networkAccess?: readonly string[];
  /** Absolute paths. Nothing of the user's is seen besides these. */
  readonly fileSystemAccess?: {
    readonly read?: readonly string[];
    readonly write?: readonly string[];
  };
  readonly environmentVariables?: Readonly<Record<string, string>>;
  /** Milliseconds, of the clock and not of the processor. */
  readonly timeLimit?: number;
}

export type SandboxTask =
  | {
      readonly kind: 'code';
      /** An ES module in JavaScript; its export `run` (or the default) gets `(input, context)`. */
      readonly code: string;
      /** Where the code comes from, for stack traces. */
      readonly name?: string;
      readonly input: unknown;
    }
  | {
      readonly kind: 'command';
      /** A program and its arguments; no shell reads them. */
      readonly argv: readonly string[];
      readonly stdin?: string;
      /** Absolute; one of the paths that can be seen. */
      readonly cwd?: string;
    };

export interface SandboxOutcome {
  /** What the code returned, as plain data. */
  readonly value?: unknown;
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The way back: what sandboxed code asks of its context (`fs.read`, `fetch`, `call`, `log`…) arrives
 * here by name. Only plain data crosses the border, in both directions. Rejects with a ToolFailure.
 */
export interface SandboxHost {
  request(method: string, args: readonly unknown[]): Promise<unknown>;
}

/** How a run of git sees its repository. The broker says so, never a tool. */
export interface RepositoryView {
  /** Laid over the folder `info` of the repository: its absolute path, and its files by name. */
  readonly info: { readonly path: string; readonly files: Readonly<Record<string, string>> };
  /** Nothing but git runs: it finds files with secrets as they are, and prints none of them. */
  readonly gitAlone: boolean;
}

/** The resource use of a run, all its processes together. */
export interface SandboxUsage {
  /** Processor time in milliseconds. */
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

export interface SandboxRequest {
  readonly task: SandboxTask;
  readonly config: SandboxConfig;
  /** Absent when no git runs. Drivers that cannot lay files over a folder leave `info` out. */
  readonly repository?: RepositoryView;
  /** Absent when the code may ask for nothing. */
  readonly host?: SandboxHost;
  /** Ends the run: everything it started is killed. */
  readonly signal: AbortSignal;
  /** Receives what the run used, once, however it ended. Drivers that cannot measure a run never call it. */
  onUsage?(usage: SandboxUsage): void;
}

export type SandboxReadiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly reason: string; readonly install: string };

export interface Sandbox {
  readonly type: SandboxType;
  /** Tells whether this machine can give the isolation; `install` says how to get it. */
  readiness(): Promise<SandboxReadiness>;
  /** Gets ready ahead of the first run, in the background; for drivers that take a while to start. */
  prepare?(): void;
  /**
   * Runs code or a program. Fails with SANDBOX_ERROR when the isolation cannot be given, when a
   * limit of memory or processes was hit or the code broke, with TIMEOUT when the time was over,
   * with CANCELLED when the signal fired, with OUTPUT_TOO_LARGE when it wrote too much. An exit
   * code other than 0 is no failure: it is part of the outcome.
   */
  run(request: SandboxRequest): Promise<SandboxOutcome>;
  close(): Promise<void>;
}

/** The drivers of a crib, opened when they are first needed. */
export interface Sandboxes {
  /** Opens a driver. Rejects with SANDBOX_ERROR, and what to install, when this machine cannot give the isolation. */
  get(type: SandboxType): Promise<Sandbox>;
  /** Tells which sandboxes this machine can give, and what the others need. */
  readiness(): Promise<readonly (SandboxReadiness & { readonly type: SandboxType })[]>;
  close(): Promise<void>;
}

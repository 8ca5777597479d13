/** The port every isolation driver implements, and what a tool may ask of it. */

export type SandboxType = 'wasm' | 'process' | 'container' | 'vm' | 'worker';

export interface ResourceLimits {
  readonly memoryMb?: number;
  readonly cpus?: number;
  readonly processes?: number;
  readonly outputBytes?: number;
}

export interface SandboxConfig {
  readonly type: SandboxType;
  readonly resourceLimits?: ResourceLimits;
  /** Hosts that may be reached; none when absent. */
  readonly networkAccess?: readonly string[];
  readonly fileSystemAccess?: {
    readonly read?: readonly string[];
    readonly write?: readonly string[];
  };
  readonly environmentVariables?: Readonly<Record<string, string>>;
  readonly timeLimit?: number;
}

export type SandboxTask =
  | { readonly kind: 'code'; readonly code: string; readonly input: unknown }
  | { readonly kind: 'command'; readonly argv: readonly string[]; readonly stdin?: string };

export interface SandboxOutcome {
  readonly value?: unknown;
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Sandbox {
  readonly type: SandboxType;
  /** Fails with SANDBOX_ERROR, and what to install, when this machine cannot give the isolation. */
  run(task: SandboxTask, config: SandboxConfig, signal: AbortSignal): Promise<SandboxOutcome>;
  close(): Promise<void>;
}

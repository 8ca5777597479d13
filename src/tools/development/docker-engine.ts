/** The container engine as the docker tool needs it; the composition root hands one in. */

export interface DockerMount {
  /** Absolute, below the workspace root. */
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

export interface DockerLimits {
  readonly memoryMb: number;
  readonly cpus: number;
  readonly timeoutMs: number;
}

/** The engine isolates every run: there is no field for privileges, network, host namespaces or root. */
export interface DockerRun extends DockerLimits {
  readonly image: string;
  readonly args: readonly string[];
  readonly entrypoint?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly DockerMount[];
  readonly workdir?: string | undefined;
  readonly stdin?: string | undefined;
  readonly processes: number;
  readonly outputBytes: number;
  readonly signal: AbortSignal;
}

export interface DockerRunOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DockerBuild extends DockerLimits {
  /** A tar archive. */
  readonly archive: AsyncIterable<Uint8Array>;
  /** Inside the archive. */
  readonly dockerfile: string;
  readonly tag: string;
  readonly target?: string | undefined;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly noCache: boolean;
  /** Called with each line of the log as it comes. */
  onLine(line: string): void;
  readonly signal: AbortSignal;
}

export interface DockerBuildOutcome {
  readonly success: boolean;
  readonly imageId: string;
  readonly log: string;
}

export interface DockerContainer {
  readonly id: string;
  readonly names: readonly string[];
  readonly image: string;
  readonly state: string;
  readonly status: string;
  readonly createdMs: number;
}

export interface DockerEngine {
  /** A Dockerfile that fails is an outcome. Rejects with a coded failure when nothing could be built. */
  build(order: DockerBuild): Promise<DockerBuildOutcome>;
  /** A program that ends badly is an outcome. Leaves no container behind. */
  run(order: DockerRun): Promise<DockerRunOutcome>;
  list(options: {
    readonly all: boolean;
    readonly limit: number;
  }): Promise<readonly DockerContainer[]>;
}

/** Rejects with DEPENDENCY_MISSING, and how to get one, when there is no engine. */
export type OpenDockerEngine = () => Promise<DockerEngine>;

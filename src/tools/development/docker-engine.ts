/** The port of the docker tool to a container engine; the composition root provides it. */

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

/**
 * A container to run, always isolated: there is no field for privileges, network, host namespaces or
 * root.
 */
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
  /** Called with each line of the log. */
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
  /**
   * Builds an image. A Dockerfile that fails is an outcome; rejects with a coded failure when nothing
   * could be built.
   */
  build(order: DockerBuild): Promise<DockerBuildOutcome>;
  /** Runs a container and removes it. A program that fails is an outcome. */
  run(order: DockerRun): Promise<DockerRunOutcome>;
  list(options: {
    readonly all: boolean;
    readonly limit: number;
  }): Promise<readonly DockerContainer[]>;
}

/** Opens the engine. Rejects with DEPENDENCY_MISSING, and how to install one, when there is none. */
export type OpenDockerEngine = () => Promise<DockerEngine>;

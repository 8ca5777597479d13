/** Containers and images for the docker tool, confined like those of the container sandbox. */
import { realpathSync, statSync } from 'node:fs';
import type Dockerode from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Masks } from '../find-masked.ts';
import { OutputMeter } from '../output-meter.ts';
import type { SandboxGrant } from '../sandbox-grants.ts';
import type { Identity } from '../sandbox-identity.ts';
import { commandProtocol } from '../task-protocol.ts';
import { answeredInTime } from './answered-in-time.ts';
import { type BuildOutcome, type BuildRequest, buildImage } from './build-image.ts';
import { containerRequest } from './container-request.ts';
import { type EngineClient, type LoadEngine, openEngineClient } from './engine-client.ts';
import { hasImage } from './engine-readiness.ts';
import type { EngineAddress } from './find-engine.ts';
import { chooseRuntime, noRuntime } from './oci-runtime.ts';
import { runContainer } from './run-container.ts';

export interface DockerEngineOptions {
  findEngine(): EngineAddress | undefined;
  readonly ociRuntime?: string | undefined;
  readonly identity: Identity;
  readonly runtime: Runtime;
  readonly masks: Masks;
  readonly load?: LoadEngine;
}

interface RunRequest {
  readonly image: string;
  readonly args: readonly string[];
  readonly entrypoint?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly {
    readonly source: string;
    readonly target: string;
    readonly writable: boolean;
  }[];
  readonly workdir?: string | undefined;
  readonly stdin?: string | undefined;
  readonly memoryMb: number;
  readonly cpus: number;
  readonly processes: number;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly signal: AbortSignal;
}

interface RunOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Listed {
  readonly id: string;
  readonly names: readonly string[];
  readonly image: string;
  readonly state: string;
  readonly status: string;
  readonly createdMs: number;
}

export interface DockerEngine {
  build(createOptions: BuildRequest): Promise<BuildOutcome>;
  run(createOptions: RunRequest): Promise<RunOutcome>;
  list(options: { readonly all: boolean; readonly limit: number }): Promise<readonly Listed[]>;
}

const MISSING = 'Install and start Docker or Podman (Debian: apt-get install podman).';

/** Makes the failure without an engine: for a tool that is a missing program, not missing isolation. */
const missing = (error: unknown): ToolFailure =>
  new ToolFailure(
    'DEPENDENCY_MISSING',
    error instanceof ToolFailure ? error.message : 'The container engine does not answer.',
    { suggestions: (error instanceof ToolFailure && error.extras.suggestions) || [MISSING] },
  );

/** Checks the path again, because it may have become a link. */
const grantOf = ({ source, target, writable }: RunRequest['mounts'][number]): SandboxGrant => {
  if (realpathSync(source) === source) {
    return { path: target, source, writable, isFolder: statSync(source).isDirectory() };
  }
  throw new ToolFailure('SANDBOX_ERROR', 'A path to mount is a link.', {
    suggestions: ['Mount what the link leads to.'],
  });
};

const assertImage = async (engine: Dockerode, image: string): Promise<void> => {
  if (await hasImage(engine, image)) return;
  throw new ToolFailure('NOT_FOUND', 'The image is not there.', {
    suggestions: ['Build it, or have a person pull it: images are not fetched by a run.'],
  });
};

class ContainerEngine implements DockerEngine {
  readonly #options: DockerEngineOptions;
  readonly #client: EngineClient;

  constructor(options: DockerEngineOptions, client: EngineClient) {
    this.#options = options;
    this.#client = client;
  }

  async run(request: RunRequest): Promise<RunOutcome> {
    const { engine, socketPath } = this.#client;
    const { identity, masks, runtime } = this.#options;
    const {
      image,
      memoryMb,
      cpus,
      processes,
      outputBytes,
      timeoutMs: timeMs,
      entrypoint,
    } = request;
    await assertImage(engine, image);
    const ociRuntime = await this.#ociRuntime();
    const limits = { memoryMb, cpus, processes, outputBytes, timeMs };
    const createOptions = containerRequest({
      image,
      identity,
      masks,
      limits,
      ociRuntime,
      ...(entrypoint !== undefined && { entrypoint: [entrypoint] }),
      argv: request.args,
      ...(request.workdir !== undefined && { workingFolder: request.workdir }),
      variables: request.env,
      grants: request.mounts.map(grantOf).sort((a, b) => a.path.length - b.path.length),
      startedAt: runtime.now(),
    });
    const meter = new OutputMeter(outputBytes);
    let removal: Promise<void> | undefined;
    const afterwards = (work: Promise<void>) => {
      removal = work;
    };
    const protocol = commandProtocol(
      { argv: [], ...(request.stdin !== undefined && { stdin: request.stdin }) },
      { meter },
    );
    const how = { ociRuntime, timeMs, afterwards, signal: request.signal };
    try {
      const run = { engine, socketPath, createOptions, protocol, ...how };
      const exitCode = await runContainer(run, runtime);
      return { exitCode, stdout: meter.stdout, stderr: meter.stderr };
    } finally {
      await removal;
    }
  }

  build(createOptions: BuildRequest): Promise<BuildOutcome> {
    return buildImage(this.#client.engine, createOptions, this.#options.runtime);
  }

  async list({ all, limit }: { readonly all: boolean; readonly limit: number }) {
    const containers = await this.#client.engine.listContainers({ all, limit });
    return containers.map(({ Id, Names, Image, State, Status, Created }) => ({
      id: Id.slice(0, 12),
      names: (Names ?? []).map((name) => name.replace(/^\//, '')),
      image: Image,
      state: State,
      status: Status,
      createdMs: Number(Created) * 1_000,
    }));
  }

  async #ociRuntime(): Promise<string | undefined> {
    const { ociRuntime } = this.#options;
    if (ociRuntime === undefined) return undefined;
    const runtime = await chooseRuntime(this.#client.engine, [ociRuntime]);
    if (runtime === undefined) throw noRuntime();
    return runtime;
  }
}

/** Rejects with DEPENDENCY_MISSING when no engine answers. */
export const createDockerEngine = async (options: DockerEngineOptions): Promise<DockerEngine> => {
  try {
    const client = await openEngineClient(options.findEngine(), options.load);
    await answeredInTime(client.engine.ping(), options.runtime);
    return new ContainerEngine(options, client);
  } catch (error) {
    throw missing(error);
  }
};

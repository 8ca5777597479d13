/**
 * The `container` sandbox on the API of Docker or Podman, and `vm`: the same with a runtime that
 * gives each container a kernel of its own. Neither ever falls back to less.
 */
import type Dockerode from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type {
  Sandbox,
  SandboxConfig,
  SandboxOutcome,
  SandboxReadiness,
  SandboxRequest,
} from '../../contract/sandbox.ts';
import { assertType } from '../assert-type.ts';
import type { Masks } from '../find-masked.ts';
import { OutputMeter } from '../output-meter.ts';
import { runLimits } from '../run-limits.ts';
import { sandboxEnvironment } from '../sandbox-environment.ts';
import { sandboxGrants } from '../sandbox-grants.ts';
import type { Identity } from '../sandbox-identity.ts';
import { taskProtocol } from '../task-protocol.ts';
import { workingFolder } from '../working-folder.ts';
import { answeredInTime } from './answered-in-time.ts';
import { containerRequest, ENDS_AT_LABEL } from './container-request.ts';
import { type EngineClient, type LoadEngine, openEngineClient } from './engine-client.ts';
import { engineReadiness } from './engine-readiness.ts';
import type { EngineAddress } from './find-engine.ts';
import { chooseRuntime, noRuntime } from './oci-runtime.ts';
import { runContainer } from './run-container.ts';

export interface ContainerSandboxOptions {
  readonly type?: 'container' | 'vm';
  /** Finds the engine. Called again until there is one, so that an engine that is started later is found. */
  findEngine(): EngineAddress | undefined;
  /** For code it has to hold `node`. */
  readonly image: string;
  /**
   * The OCI runtime by the name the engine knows it under. When absent, `container` takes the
   * engine's own, and `vm` one that is known to give each container a kernel of its own.
   */
  readonly ociRuntime?: string | undefined;
  readonly identity: Identity;
  readonly runtime: Runtime;
  readonly masks: Masks;
  readonly load?: LoadEngine;
}

const VM_RUNTIMES = ['kata', 'kata-runtime', 'io.containerd.kata.v2', 'runsc', 'kata-qemu'];

const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Removes containers that a killed process left behind: only ours, and only those whose time is over. */
const removeForgotten = async (engine: Dockerode, now: number): Promise<void> => {
  const ours = await engine
    .listContainers({ all: true, filters: { label: [ENDS_AT_LABEL] } })
    .catch(() => []);
  const forgotten = ours.filter(({ Labels }) => Number(Labels[ENDS_AT_LABEL]) < now);
  await Promise.all(
    forgotten.map(({ Id }) =>
      engine
        .getContainer(Id)
        .remove({ force: true })
        .catch(() => undefined),
    ),
  );
};

class ContainerSandbox implements Sandbox {
  readonly type: 'container' | 'vm';
  readonly #options: ContainerSandboxOptions;
  readonly #closing = new AbortController();
  readonly #removals = new Set<Promise<void>>();
  #opened: Promise<EngineClient> | undefined;

  constructor(options: ContainerSandboxOptions) {
    this.#options = options;
    this.type = options.type ?? 'container';
  }

  readiness(): Promise<SandboxReadiness> {
    const { image, runtime } = this.#options;
    const request = { image, runtime, runtimes: this.#runtimes };
    return engineReadiness(async () => (await this.#engine()).engine, request);
  }

  async run(request: SandboxRequest): Promise<SandboxOutcome> {
    if (this.#closing.signal.aborted) {
      throw new ToolFailure('SANDBOX_ERROR', `The ${this.type} sandbox is closed.`);
    }
    const { config, task, signal, onUsage } = request;
    this.#assertFits(config);
    const { image, identity, masks, runtime } = this.#options;
    const limits = runLimits(config);
    const meter = new OutputMeter(limits.outputBytes);
    const protocol = taskProtocol(request, { limits, meter, node: 'node', random: runtime.random });
    const grants = sandboxGrants(config);
    const ociRuntime = await this.#ociRuntime();
    const createOptions = containerRequest({
      image,
      identity,
      masks,
      grants,
      limits,
      ociRuntime,
      variables: sandboxEnvironment(SEARCH_PATH, config),
      // An image's own entry point would come before the program.
      entrypoint: [],
      argv: protocol.argv,
      workingFolder: workingFolder(task.kind === 'command' ? task.cwd : '/tmp', grants),
      startedAt: runtime.now(),
    });
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const { engine, socketPath } = await this.#engine();
    const afterwards = (work: Promise<void>) => this.#track(work);
    const how = { ociRuntime, timeMs: limits.timeMs, afterwards, signal: either, onUsage };
    const run = { engine, socketPath, createOptions, protocol, ...how };
    return protocol.outcome(await runContainer(run, runtime));
  }

  /** Waits for the removal of containers that have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#removals);
  }

  #track(work: Promise<void>): void {
    this.#removals.add(work);
    void work.finally(() => this.#removals.delete(work));
  }

  /** One of these has to run it; absent when the engine may choose. */
  get #runtimes(): readonly string[] | undefined {
    const { ociRuntime } = this.#options;
    if (ociRuntime !== undefined) return [ociRuntime];
    return this.type === 'vm' ? VM_RUNTIMES : undefined;
  }

  #engine(): Promise<EngineClient> {
    // An engine that is started later is found later.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<EngineClient> {
    const { runtime, load } = this.#options;
    const client = await openEngineClient(this.#options.findEngine(), load);
    await answeredInTime(removeForgotten(client.engine, runtime.now()), runtime);
    return client;
  }

  async #ociRuntime(): Promise<string | undefined> {
    const candidates = this.#runtimes;
    if (candidates === undefined) return undefined;
    const runtime = await chooseRuntime((await this.#engine()).engine, candidates);
    if (runtime !== undefined) return runtime;
    throw noRuntime();
  }

  #assertFits(config: SandboxConfig): void {
    assertType(this.type, config);
    const { type, networkAccess = [] } = config;
    if (networkAccess.length === 0) return;
    throw new ToolFailure('SANDBOX_ERROR', `The ${type} sandbox gives no network.`, {
      suggestions: ['Have code ask the context for fetch, or leave networkAccess empty.'],
    });
  }
}

/** Reaches the engine with the first run. `close` ends the runs that are under way. */
export const createContainerSandbox = (options: ContainerSandboxOptions): Sandbox =>
  new ContainerSandbox(options);

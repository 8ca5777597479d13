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
import type { Masks } from '../find-masked.ts';
import { OutputMeter } from '../output-meter.ts';
import { runLimits } from '../run-limits.ts';
import type { Identity } from '../sandbox-identity.ts';
import { taskTalk } from '../task-talk.ts';
import { containerOrder, ENDS_AT_LABEL } from './container-order.ts';
import { engineReadiness } from './engine-readiness.ts';
import type { EngineAddress } from './find-engine.ts';
import { runContainer } from './run-container.ts';

export interface ContainerSandboxOptions {
  readonly type?: 'container' | 'vm';
  /** From `findEngine`; absent when none was found. */
  readonly engine: EngineAddress | undefined;
  /** For code it has to hold `node`. */
  readonly image: string;
  /** For `vm`: names under which the engine may know a runtime with kernels of its own. */
  readonly vmRuntimes?: readonly string[];
  readonly identity: Identity;
  readonly runtime: Runtime;
  readonly masks: Masks;
  /** The library, imported only when it is needed. */
  readonly load?: () => Promise<{ readonly default: typeof Dockerode }>;
}

const VM_RUNTIMES = ['kata', 'kata-runtime', 'io.containerd.kata.v2', 'runsc', 'kata-qemu'];

/** Long enough that no other process takes a container of a slow engine for forgotten. */
const FORGOTTEN_AFTER_MS = 60_000;

interface Opened {
  readonly engine: Dockerode;
  readonly socketPath: string;
}

class ContainerSandbox implements Sandbox {
  readonly type: 'container' | 'vm';
  readonly #options: ContainerSandboxOptions;
  readonly #closing = new AbortController();
  readonly #removals = new Set<Promise<void>>();
  #opened: Promise<Opened> | undefined;

  constructor(options: ContainerSandboxOptions) {
    this.#options = options;
    this.type = options.type ?? 'container';
  }

  readiness(): Promise<SandboxReadiness> {
    return engineReadiness(async () => (await this.#engine()).engine, {
      image: this.#options.image,
      runtimes: this.#vmRuntimes,
    });
  }

  async run(request: SandboxRequest): Promise<SandboxOutcome> {
    if (this.#closing.signal.aborted) {
      throw new ToolFailure('SANDBOX_ERROR', `The ${this.type} sandbox is closed.`);
    }
    const { config, task, signal } = request;
    this.#assertFits(config);
    const { image, identity, masks, runtime } = this.#options;
    const limits = runLimits(config);
    const meter = new OutputMeter(limits.outputBytes);
    const talk = taskTalk(request, { limits, meter, node: 'node', random: runtime.random });
    const order = containerOrder({
      ...{ image, identity, masks, config, limits },
      ociRuntime: await this.#ociRuntime(),
      argv: talk.argv,
      cwd: task.kind === 'command' ? task.cwd : '/tmp',
      endsAt: runtime.now() + limits.timeMs + FORGOTTEN_AFTER_MS,
    });
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const { engine, socketPath } = await this.#engine();
    const afterwards = (work: Promise<void>) => this.#track(work);
    const run = { engine, socketPath, order, talk, timeMs: limits.timeMs, afterwards };
    return talk.outcome(await runContainer({ ...run, signal: either }, runtime));
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

  get #vmRuntimes(): readonly string[] | undefined {
    return this.type === 'vm' ? (this.#options.vmRuntimes ?? VM_RUNTIMES) : undefined;
  }

  #engine(): Promise<Opened> {
    // An engine that is started later is found later.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<Opened> {
    const { engine: address, load = () => import('dockerode') } = this.#options;
    if (address === undefined) throw noEngine();
    const { default: Engine } = await load().catch(() => {
      throw noLibrary();
    });
    const engine = new Engine({ socketPath: address.socketPath });
    await removeForgotten(engine, this.#options.runtime.now());
    return { engine, socketPath: address.socketPath };
  }

  async #ociRuntime(): Promise<string | undefined> {
    const wanted = this.#vmRuntimes;
    if (wanted === undefined) return undefined;
    const { Runtimes = {} } = (await (await this.#engine()).engine.info()) as {
      readonly Runtimes?: Readonly<Record<string, unknown>>;
    };
    const found = wanted.find((name) => Object.hasOwn(Runtimes, name));
    if (found !== undefined) return found;
    throw new ToolFailure('SANDBOX_ERROR', 'The engine has no runtime with kernels of its own.', {
      suggestions: ['Install Kata Containers or gVisor and name it in the settings of the engine.'],
    });
  }

  #assertFits({ type, networkAccess = [] }: SandboxConfig): void {
    if (type !== this.type) {
      throw new ToolFailure('SANDBOX_ERROR', `This sandbox is ${this.type}, asked was ${type}.`);
    }
    if (networkAccess.length === 0) return;
    throw new ToolFailure('SANDBOX_ERROR', `The ${type} sandbox gives no network.`, {
      suggestions: ['Have code ask the context for fetch, or leave networkAccess empty.'],
    });
  }
}

/** A parent that was killed leaves its containers behind; the next one clears them away. */
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

const noEngine = () =>
  new ToolFailure('SANDBOX_ERROR', 'No container engine was found on this machine.', {
    suggestions: ['Install and start Docker or Podman, or set DOCKER_HOST to its socket.'],
  });

const noLibrary = () =>
  new ToolFailure('DEPENDENCY_MISSING', 'The package dockerode is not installed.', {
    suggestions: ['npm install dockerode'],
  });

/** Reaches the engine with the first run. `close` ends the runs that are under way. */
export const createContainerSandbox = (options: ContainerSandboxOptions): Sandbox =>
  new ContainerSandbox(options);

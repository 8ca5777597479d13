/** Opens the sandbox drivers of a crib; each is loaded when something first runs in it. */
import { existsSync } from 'node:fs';
import { arch, availableParallelism, platform } from 'node:os';
import { ToolFailure } from '../contract/errors.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandbox, Sandboxes, SandboxType } from '../contract/sandbox.ts';
import { SANDBOX_TYPES } from '../governance/isolation.ts';
import { isRepositoryLayout, isRepositoryRule } from '../governance/paths/repository-layout.ts';
import {
  protectedFromGit,
  protectedRule,
  sensitiveRule,
} from '../governance/paths/sensitive-names.ts';
import type { DockerEngine } from '../sandboxes/container/create-docker-engine.ts';
import type { ConfinedProgram, ConfineRequest } from '../sandboxes/process/confine-program.ts';
import type { ProcessSandboxOptions } from '../sandboxes/process/create-process-sandbox.ts';

interface EngineSettings {
  readonly image: string;
  readonly runtime?: string;
}

export interface SandboxSettings {
  /** Local addresses that programs with network may reach, as in the configuration. */
  readonly egress?: { readonly allowPrivate?: readonly string[] };
  /** The section `sandbox` of the configuration. */
  readonly sandbox: {
    readonly container: EngineSettings & { readonly socket?: string };
    readonly vm: EngineSettings;
  };
  /** The environment; its DOCKER_HOST and XDG_RUNTIME_DIR say where a container engine listens. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False when the resource use of runs is of no interest. */
  readonly measuresRuns?: boolean;
}

type Opener = () => Promise<Sandbox>;

/** Programs such as linters that users install beside this package. */
const PACKAGED = ['oxlint'];

/** Tells whether a path is in `.git`: a repository, or the part of one that belongs to a worktree. */
const isInRepository = (above: readonly string[]): boolean => above.includes('.git');

/** What no sandbox shows, and what it shows read-only, below the folders that it is granted. */
export const SANDBOX_MASKS: ProcessSandboxOptions['masks'] = {
  isSecret: (path) => sensitiveRule(path) !== undefined,
  isProtected: (below, above) =>
    isInRepository(above) ? isRepositoryRule(below) : protectedRule(below) !== undefined,
  isRepository: isRepositoryLayout,
  git: {
    // A run of git alone sees files with secrets, but not Toolcrib's own.
    isSecret: (path) => sensitiveRule(path)?.startsWith('.toolcrib') ?? false,
    isProtected: (below, above) =>
      isInRepository(above) ? isRepositoryRule(below) : protectedFromGit(below) !== undefined,
    isRepository: isRepositoryLayout,
  },
};

const identity = () => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });

const engineOptions = async (runtime: Runtime, { sandbox, env }: SandboxSettings) => {
  const { findEngine } = await import('../sandboxes/container/find-engine.ts');
  const { socket } = sandbox.container;
  const { DOCKER_HOST: dockerHost, XDG_RUNTIME_DIR: runtimeFolder } = env;
  const search = { socket, dockerHost, runtimeFolder, exists: existsSync };
  return {
    findEngine: () => findEngine(search),
    identity: identity(),
    runtime,
    masks: SANDBOX_MASKS,
  };
};

const engineSandbox =
  (type: 'container' | 'vm', runtime: Runtime, settings: SandboxSettings): Opener =>
  async () => {
    const { createContainerSandbox } = await import(
      '../sandboxes/container/create-container-sandbox.ts'
    );
    const { image, runtime: ociRuntime } = settings.sandbox[type];
    return createContainerSandbox({
      ...(await engineOptions(runtime, settings)),
      type,
      image,
      ociRuntime,
    });
  };

/** Opens the engine for tools that run containers. Rejects with DEPENDENCY_MISSING without one. */
export const openDockerEngine = async (
  runtime: Runtime,
  settings: SandboxSettings,
): Promise<DockerEngine> => {
  const { createDockerEngine } = await import('../sandboxes/container/create-docker-engine.ts');
  const { runtime: ociRuntime } = settings.sandbox.container;
  return createDockerEngine({ ...(await engineOptions(runtime, settings)), ociRuntime });
};

const processOptions = async (
  runtime: Runtime,
  settings: SandboxSettings,
): Promise<ProcessSandboxOptions> => {
  const { findPackagedProgram } = await import('../sandboxes/process/packaged-program.ts');
  const { createCheckedConnect } = await import('../governance/egress/checked-connect.ts');
  return {
    platform: platform(),
    processor: arch(),
    cores: availableParallelism(),
    identity: identity(),
    node: process.execPath,
    runtime,
    masks: SANDBOX_MASKS,
    connectTo: createCheckedConnect(settings.egress),
    packaged: (name) =>
      PACKAGED.includes(name) ? findPackagedProgram(name, import.meta.url) : undefined,
  };
};

const processSandbox = async (options: ProcessSandboxOptions): Promise<Sandbox> => {
  const { createProcessSandbox } = await import('../sandboxes/process/create-process-sandbox.ts');
  return createProcessSandbox(options);
};

const openers = (
  runtime: Runtime,
  settings: SandboxSettings,
): Readonly<Record<SandboxType, Opener>> => ({
  wasm: async () => (await import('../sandboxes/wasm/create-wasm-sandbox.ts')).createWasmSandbox(),
  process: async () => processSandbox(await processOptions(runtime, settings)),
  container: engineSandbox('container', runtime, settings),
  vm: engineSandbox('vm', runtime, settings),
  worker: async () =>
    (await import('../sandboxes/worker/create-worker-sandbox.ts')).createWorkerSandbox(),
});

const unavailable = (reason: string, install: string): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', reason, {
    suggestions: [install, 'Run `toolcrib doctor` to see which sandboxes this machine can give.'],
  });

/**
 * Opens the sandbox for programs that run until they are stopped, such as MCP servers. Rejects with
 * SANDBOX_ERROR, and what to install, when this machine lacks the isolation.
 */
export const openConfiner = async (
  runtime: Runtime,
  settings: SandboxSettings,
): Promise<(request: ConfineRequest) => Promise<ConfinedProgram>> => {
  const options = await processOptions(runtime, settings);
  const readiness = await (await processSandbox(options)).readiness();
  if (!readiness.ready) throw unavailable(readiness.reason, readiness.install);
  const { confineProgram } = await import('../sandboxes/process/confine-program.ts');
  return (request) => confineProgram(options, request);
};

/** Wraps a sandbox so that it measures nothing: drivers measure only for a listener. */
const unmeasured = (sandbox: Sandbox): Sandbox => ({
  type: sandbox.type,
  readiness: () => sandbox.readiness(),
  prepare: () => sandbox.prepare?.(),
  run: ({ onUsage: _onUsage, ...request }) => sandbox.run(request),
  close: () => sandbox.close(),
});

export const openSandboxes = (runtime: Runtime, settings: SandboxSettings): Sandboxes => {
  const openerOf = openers(runtime, settings);
  const open = new Map<SandboxType, Promise<Sandbox>>();
  const opened = (type: SandboxType): Promise<Sandbox> => {
    if (!Object.hasOwn(openerOf, type)) {
      throw unavailable('There is no sandbox of that name.', `Take ${SANDBOX_TYPES.join(', ')}.`);
    }
    const sandbox = open.get(type) ?? openerOf[type]();
    open.set(type, sandbox);
    return sandbox;
  };
  return {
    get: async (type) => {
      const sandbox = await opened(type);
      const readiness = await sandbox.readiness();
      if (!readiness.ready) throw unavailable(readiness.reason, readiness.install);
      return settings.measuresRuns === false ? unmeasured(sandbox) : sandbox;
    },
    readiness: () =>
      Promise.all(
        SANDBOX_TYPES.map(async (type) => ({
          type,
          ...(await (await opened(type)).readiness()),
        })),
      ),
    close: async () => {
      for (const sandbox of open.values()) await (await sandbox).close();
      open.clear();
    },
  };
};

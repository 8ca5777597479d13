/** The isolation drivers of a crib: each is loaded when something first runs in it. */
import { arch, availableParallelism, platform } from 'node:os';
import { ToolFailure } from './contract/errors.ts';
import type { Runtime } from './contract/runtime.ts';
import type { Sandbox, Sandboxes, SandboxType } from './contract/sandbox.ts';
import { protectedRule, sensitiveRule } from './governance/paths/sensitive-names.ts';

type Opener = () => Promise<Sandbox>;

const processSandbox = async (runtime: Runtime): Promise<Sandbox> => {
  const { createProcessSandbox } = await import('./sandboxes/process/create-process-sandbox.ts');
  return createProcessSandbox({
    platform: platform(),
    processor: arch(),
    cores: availableParallelism(),
    identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    node: process.execPath,
    runtime,
    masks: {
      isSecret: (path) => sensitiveRule(path) !== undefined,
      isProtected: (below) => protectedRule(below) !== undefined,
    },
  });
};

const openers = (runtime: Runtime): Readonly<Partial<Record<SandboxType, Opener>>> => ({
  wasm: async () => (await import('./sandboxes/wasm/create-wasm-sandbox.ts')).createWasmSandbox(),
  process: () => processSandbox(runtime),
  worker: async () =>
    (await import('./sandboxes/worker/create-worker-sandbox.ts')).createWorkerSandbox(),
});

const unavailable = (reason: string, install: string): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', reason, {
    suggestions: [install, 'Run `toolcrib doctor` to see which sandboxes this machine can give.'],
  });

export const openSandboxes = (runtime: Runtime): Sandboxes => {
  const known = openers(runtime);
  const open = new Map<SandboxType, Promise<Sandbox>>();
  const opened = (type: SandboxType): Promise<Sandbox> => {
    const opener = known[type];
    if (!opener) throw unavailable(`There is no ${type} sandbox in this version.`, '');
    const sandbox = open.get(type) ?? opener();
    open.set(type, sandbox);
    return sandbox;
  };
  return {
    get: async (type) => {
      const sandbox = await opened(type);
      const readiness = await sandbox.readiness();
      if (!readiness.ready) throw unavailable(readiness.reason, readiness.install);
      return sandbox;
    },
    readiness: () =>
      Promise.all(
        (Object.keys(known) as SandboxType[]).map(async (type) => ({
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

/** The tools of a trusted project: compiled, and run in the sandbox with the broker behind it. */
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes, SandboxType } from '../contract/sandbox.ts';
import type { Source } from '../contract/source.ts';
import { isolationSandbox } from '../governance/isolation.ts';
import { sandboxHost } from '../pipeline/broker/sandbox-host.ts';
import type { RunCode } from '../sources/custom/build-tool.ts';
import { createCustomSource } from '../sources/custom/create-custom-source.ts';
import { formatFileProblem } from '../sources/custom/file-problem.ts';

export interface CustomTools {
  /** Absolute. */
  readonly folder: string;
  /** The trusted files, by path below the folder. */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The cache for compiled code: in the user's folder, never in the project's. */
  readonly cacheDir?: string;
}

const runIn =
  (sandboxes: Sandboxes): RunCode =>
  async ({ code, name, input, context, config, model = false }) => {
    const level = context?.isolation ?? 'none';
    const sandbox = await isolationSandbox(sandboxes, level, { use: 'code', type: config.type });
    const { value } = await sandbox.run({
      task: { kind: 'code', code, name, input },
      config: { ...config, type: sandbox.type },
      signal: context?.signal ?? new AbortController().signal,
      ...(context && { host: sandboxHost(context, { model }) }),
    });
    return value;
  };

/** Starts the default sandbox early: tools that were loaded will be called. */
const prepare = (sandboxes: Sandboxes, type: SandboxType): void => {
  const ignore = (): undefined => undefined;
  void sandboxes.get(type).then((sandbox) => sandbox.prepare?.(), ignore);
};

export interface CustomToolsDeps {
  readonly sandboxes: Sandboxes;
  /** The sandbox of tools that name none. */
  readonly defaultSandbox: SandboxType;
  readonly runtime: Runtime;
}

export const openCustomTools = (tools: CustomTools, deps: CustomToolsDeps): Source => {
  const { sandboxes, defaultSandbox, runtime } = deps;
  const source = createCustomSource({
    ...tools,
    runCode: runIn(sandboxes),
    defaultSandbox,
    report: (problem) => runtime.log.warn(formatFileProblem(problem)),
    runtime,
  });
  return {
    ...source,
    load: async () => {
      const loaded = await source.load();
      if (loaded.length > 0) prepare(sandboxes, defaultSandbox);
      return loaded;
    },
  };
};

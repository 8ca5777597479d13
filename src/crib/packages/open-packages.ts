/** Opens the installed packages: their tools are compiled and run like custom tools, in a sandbox. */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { CribPackages } from '../../contract/packages.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Sandboxes } from '../../contract/sandbox.ts';
import { PACKAGE_LIMITS } from '../../kit/archive/read-tarball.ts';
import { localHosts } from '../../kit/http/loopback.ts';
import { readBytes } from '../../kit/http/read-reply.ts';
import type { Registry } from '../../registry/registry.ts';
import { type CompileCache, createCompileCache } from '../../sources/custom/compile-cache.ts';
import type { ToolFiles } from '../../sources/custom/compile-tool.ts';
import { formatFileProblem } from '../../sources/custom/file-problem.ts';
import { type LoadDeps, loadToolFiles } from '../../sources/custom/load-tool-files.ts';
import { createPackages, type Packages } from '../../sources/packages/create-packages.ts';
import { integrityOf } from '../../sources/packages/download-package.ts';
import { packTool } from '../../sources/packages/pack-tool.ts';
import type { ReadPackageTools } from '../../sources/packages/package-source.ts';
import type { CustomTools } from '../open-custom-tools.ts';
import { openEgress, scopeOf } from '../sources/open-egress.ts';
import { runIn } from '../sources/run-in-sandbox.ts';
import { openLibraries, type PackageLocations } from './package-libraries.ts';

export interface OpenPackagesDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly sandboxes: Sandboxes;
  readonly registry: Pick<Registry, 'load' | 'unload' | 'get' | 'list'>;
  /** The project: relative paths start there. */
  readonly project: string;
  readonly customTools?: CustomTools | undefined;
}

/** Files that record which of them were read, which are those that a tool imports. */
class RecordingFiles extends Map<string, Uint8Array> {
  readonly #read = new Set<string>();

  constructor(files: ToolFiles) {
    super();
    for (const [path, bytes] of files) this.set(path, bytes);
  }

  override get(path: string): Uint8Array | undefined {
    this.#read.add(path);
    return super.get(path);
  }

  /** Returns a file with those that were read. */
  used(file: string): ToolFiles {
    return new Map([...this].filter(([path]) => path === file || this.#read.has(path)));
  }
}

const readerOf =
  ({ config, sandboxes }: OpenPackagesDeps, cache: CompileCache): ReadPackageTools =>
  async (files, toolFiles, name) => {
    const onlySandbox = config.packages[name]?.sandbox ?? config.sandbox.default;
    const runner: LoadDeps = {
      files,
      cache,
      runCode: runIn(sandboxes),
      onlySandbox,
      defaultSandbox: onlySandbox,
      hasTools: (file) => toolFiles.includes(file),
    };
    const { tools, problems, composed } = await loadToolFiles(runner);
    return {
      tools,
      refused: [
        ...problems.map((problem) => ({ name: problem.file, reason: formatFileProblem(problem) })),
        ...composed.map(({ file }) => ({
          name: file,
          reason: 'a package cannot bring a composed tool; write it in the project',
        })),
      ],
    };
  };

const unanswered = (status: number): ToolFailure =>
  new ToolFailure('NETWORK', `The address answered with the status ${status}.`, {
    suggestions: ['Check the address of the tarball.'],
  });

/** Makes the `fetch` through the egress guard; it reaches a host on this machine only when the user named it. */
const fetchWith =
  ({ config }: OpenPackagesDeps) =>
  async (address: string, signal: AbortSignal): Promise<Uint8Array> => {
    const egress = await openEgress(config, localHosts(new URL(address)));
    try {
      const response = await egress.fetch(address, { scope: scopeOf(['*'], signal) });
      if (!response.ok) throw unanswered(response.status);
      return await readBytes(response, PACKAGE_LIMITS.maxPackedBytes);
    } finally {
      await egress.close();
    }
  };

const FILE_TAG = 'file:';

const notPackable = (message: string): ToolFailure =>
  new ToolFailure('NOT_FOUND', message, {
    suggestions: ['Tools in .toolcrib/tools can be packed: toolcrib tools new makes one.'],
  });

const packWith =
  (deps: OpenPackagesDeps): CribPackages['pack'] =>
  async (name, path, options = {}) => {
    const tool = deps.registry.get(name)?.tool;
    const file = tool?.tags?.find((tag) => tag.startsWith(FILE_TAG))?.slice(FILE_TAG.length);
    if (tool?.source !== 'custom' || file === undefined || !deps.customTools) {
      throw notPackable(`${name} is no tool of this project's own.`);
    }
    const files = new RecordingFiles(await deps.customTools.files());
    const runner = { runCode: runIn(deps.sandboxes), defaultSandbox: deps.config.sandbox.default };
    const cache = createCompileCache(undefined);
    // Compiled without the cache, because the reads of the compiler show what the tool imports.
    const loaded = await loadToolFiles({
      ...runner,
      files,
      cache,
      hasTools: (name) => name === file,
    });
    const [problem] = loaded.problems;
    if (problem) throw notPackable(formatFileProblem(problem));
    const packed = await packTool({ tool, file, files: files.used(file) }, options);
    const target = resolve(deps.project, path);
    await writeFile(target, packed.tarball);
    const { tarball, ...rest } = packed;
    return { ...rest, path: target, integrity: integrityOf(tarball) };
  };

/** Reads the lock files; reads no package before its source is loaded. */
export const openPackages = async (
  locations: PackageLocations,
  deps: OpenPackagesDeps,
): Promise<Packages> => {
  const { config, runtime, registry, project } = deps;
  const cache = createCompileCache(join(locations.userDir, 'cache', 'tools'));
  return createPackages({
    runtime,
    registry,
    folder: project,
    libraries: await openLibraries(locations, runtime),
    env: readEnvironment(),
    readTools: readerOf(deps, cache),
    fetchTarball: fetchWith(deps),
    isEnabled: (name) => config.packages[name]?.enabled !== false,
    otherTool: (name) => {
      const tool = registry.get(name)?.tool;
      return tool?.source === 'package' ? undefined : tool?.version;
    },
    localTools: () =>
      registry
        .list()
        .filter(({ tool }) => tool.source !== 'package')
        .map(({ tool }) => ({ name: tool.name, dependencies: tool.dependencies ?? [] })),
    pack: packWith(deps),
  });
};

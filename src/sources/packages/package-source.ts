/** One installed package as a source of tools. Its files are compared with the lock at every load. */
import { join } from 'node:path';
import type { PackageTarget } from '../../contract/packages.ts';
import type {
  ManagedSource,
  RefusedTool,
  SourceChange,
  SourceStatus,
} from '../../contract/sources.ts';
import type { Tool } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { withCodeDigest } from '../../kit/source/code-digest.ts';
import { type PackageFiles, readManifest } from './package-manifest.ts';
import { readPinnedTree } from './package-tree.ts';
import type { LockedPackage } from './packages-lock.ts';

export interface LoadedPackage {
  readonly tools: readonly Tool[];
  readonly refused: readonly RefusedTool[];
}

/** Reads the tools of a package: each is compiled, and runs in the sandbox that the user chose. */
export type ReadPackageTools = (
  files: PackageFiles,
  toolFiles: readonly string[],
  name: string,
) => Promise<LoadedPackage>;

/** Reads the tools of unpacked files. */
export const readPackage = async (
  files: PackageFiles,
  read: ReadPackageTools,
): Promise<LoadedPackage> => {
  const { name, toolFiles } = readManifest(files);
  const { tools, refused } = await read(files, toolFiles, name);
  const origin = { source: 'package', tags: ['package', name], files } as const;
  return { tools: tools.map((tool) => withCodeDigest(tool, origin)), refused };
};

export interface PackageEntry {
  readonly locked: LockedPackage;
  readonly target: PackageTarget;
  /** The folder of packages, absolute. */
  readonly root: string;
  readonly enabled: boolean;
}

/** Writes a definition as text, to show what a change of a package changes. */
export const definitionText = (tool: Tool): string => {
  const { name, version, description, documentation, tier, capabilities, input, output } = tool;
  const { needs, dependencies, sandbox, codeDigest: code } = tool;
  const shown = { name, version, description, documentation, tier, capabilities, input, output };
  return `${JSON.stringify({ ...shown, needs, dependencies, sandbox, code }, null, 2)}\n`;
};

/** Compares the tools of two versions. */
export const changeOf = (before: readonly Tool[], after: readonly Tool[]): SourceChange => {
  const old = new Map(before.map((tool) => [tool.name, definitionText(tool)]));
  const names = new Set(after.map(({ name }) => name));
  const isChanged = (tool: Tool): boolean => old.get(tool.name) !== definitionText(tool);
  return {
    added: after.flatMap(({ name }) => (old.has(name) ? [] : [name])),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    changed: after.flatMap((tool) => (old.has(tool.name) && isChanged(tool) ? [tool.name] : [])),
  };
};

export class PackageToolSource implements ManagedSource {
  readonly kind = 'package';
  readonly label: string;
  readonly #read: ReadPackageTools;
  #entry: PackageEntry;
  #loaded: LoadedPackage | undefined = undefined;
  #lastError: string | undefined = undefined;

  constructor(entry: PackageEntry, read: ReadPackageTools) {
    this.label = `package:${entry.locked.name}`;
    this.#entry = entry;
    this.#read = read;
  }

  get entry(): PackageEntry {
    return this.#entry;
  }

  get tools(): readonly Tool[] {
    return this.#loaded?.tools ?? [];
  }

  /** Takes another version; the next load reads it. */
  use(entry: PackageEntry): void {
    this.#entry = entry;
  }

  /** Rejects when the files are not those of the lock: a changed package has no tools. */
  async load(): Promise<readonly Tool[]> {
    const { locked, root } = this.#entry;
    try {
      const folder = join(root, locked.name, locked.folder);
      const files = await readPinnedTree(folder, locked.digest);
      this.#loaded = await readPackage(files, this.#read);
      this.#lastError = undefined;
      return this.#loaded.tools;
    } catch (error) {
      this.#loaded = undefined;
      this.#lastError = reasonOf(error);
      throw error;
    }
  }

  async refresh(): Promise<SourceChange> {
    const before = this.tools;
    return changeOf(before, await this.load());
  }

  status(): SourceStatus {
    const { locked, enabled } = this.#entry;
    const read = this.#loaded ? 'ready' : 'unread';
    const state = this.#lastError === undefined ? read : 'failed';
    return {
      name: locked.name,
      kind: 'package',
      state: enabled ? state : 'disabled',
      location: `${locked.resolved} (${locked.version})`,
      tools: this.tools.length,
      refused: this.#loaded?.refused ?? [],
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }
}

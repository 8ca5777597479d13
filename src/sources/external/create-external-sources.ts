/** The sources of a crib beside MCP servers, as `crib.sources` shows and changes them. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Source } from '../../contract/source.ts';
import type {
  CribSources,
  ManagedSource,
  SourceKind,
  SourceRefresh,
  SourceStatus,
} from '../../contract/sources.ts';

export interface ExternalSourcesDeps {
  /** Those of the configuration, also those that are switched off. */
  readonly sources: readonly ManagedSource[];
  /** Makes a source of settings that nobody has checked. Rejects with CONFIG_INVALID. */
  open(kind: SourceKind, name: string, settings: unknown): Promise<ManagedSource>;
  /** Lists the installed packages, as they are now. */
  packages?(): readonly ManagedSource[];
  readonly registry: {
    load(sources: readonly Source[]): Promise<unknown>;
    unload(source: Source): Promise<void>;
  };
}

/** How long reading a source again may take. */
const MAX_READ_MS = 120_000;

/** Tests a source and returns its status. A source that cannot be tested has the status of its last reading. */
const testSource = async (
  source: ManagedSource,
  signal = AbortSignal.timeout(MAX_READ_MS),
): Promise<SourceStatus> => {
  await source.test?.(signal);
  const status = source.status();
  if (source.test || status.lastError === undefined) return status;
  throw new ToolFailure('SERVER_ERROR', status.lastError);
};

export const createExternalSources = ({
  sources,
  open,
  packages = () => [],
  registry,
}: ExternalSourcesDeps): CribSources => {
  const byName = new Map(sources.map((source) => [source.status().name, source]));
  const packageOf = (name: string): ManagedSource | undefined =>
    packages().find((source) => source.status().name === name);
  const find = (name: string): ManagedSource => {
    const source = byName.get(name) ?? packageOf(name);
    if (source) return source;
    const names = [...byName.values(), ...packages()].map((one) => one.status().name);
    throw new ToolFailure('NOT_FOUND', 'There is no source of that name.', {
      suggestions: [`The sources are: ${names.join(', ') || 'none'}.`],
    });
  };
  const refresh = async (name: string): Promise<SourceRefresh> => {
    const source = find(name);
    const change = await source.refresh(AbortSignal.timeout(MAX_READ_MS));
    await registry.load([source]);
    return { status: source.status(), change };
  };
  return {
    list: () => [...byName.values(), ...packages()].map((source) => source.status()),
    refresh,
    test: async (name, signal) => testSource(find(name), signal),
    async add(kind, name, settings) {
      if (byName.has(name)) {
        throw new ToolFailure('CONFLICT', `There is a source ${name} already.`, {
          suggestions: ['Choose another name, or remove the source first.'],
        });
      }
      const source = await open(kind, name, settings);
      byName.set(name, source);
      try {
        await source.load();
      } catch (error) {
        byName.delete(name);
        await source.close?.();
        throw error;
      }
      await registry.load([source]);
      return source.status();
    },
    async remove(name) {
      const source = find(name);
      if (source.status().team !== undefined) {
        throw new ToolFailure('PERMISSION_DENIED', 'A source of the team cannot be removed.', {
          suggestions: ['Ask the people who maintain the catalog of your team.'],
        });
      }
      if (!byName.delete(name)) {
        throw new ToolFailure('CONFLICT', `${name} is an installed package.`, {
          suggestions: ['Uninstall it: crib.packages.uninstall or toolcrib uninstall.'],
        });
      }
      await registry.unload(source);
    },
  };
};

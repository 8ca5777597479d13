/** The member `sources` of a crib: loads its parts when the configuration or the program names a source. */
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { type CribSources, type ManagedSource, SOURCE_KINDS } from '../../contract/sources.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { anything, oneOf, optional, signal, text } from '../../kit/data/check-arguments.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import type { Registry } from '../../registry/registry.ts';
import { createExternalSources } from '../../sources/external/create-external-sources.ts';
import type { CribOptions } from '../crib-options.ts';
import type { MethodChecks } from '../members/checked.ts';
import { noLocalTools } from '../team/no-local-tools.ts';
import type { OpenedTeam } from '../team/open-team.ts';
import { openTeamApis } from '../team/open-team-apis.ts';
import { userFolder } from '../user-folder.ts';
import type { OpenSourcesDeps } from './open-sources.ts';
import type { ExternalConfig, ExternalKind } from './source-settings.ts';

export const SOURCE_CHECKS: MethodChecks<CribSources> = {
  refresh: { name: text },
  test: { name: text, signal: optional(signal) },
  add: { kind: oneOf(...SOURCE_KINDS), name: text, settings: anything },
  remove: { name: text },
};

export interface LazySourcesDeps
  extends Pick<OpenSourcesDeps, 'config' | 'runtime' | 'project' | 'host'> {
  redactor(): Promise<Redactor>;
  readonly registry: Pick<Registry, 'load' | 'unload'>;
  /** Lists the installed packages, as they are now. */
  packages(): readonly ManagedSource[];
  readonly team: OpenedTeam | undefined;
}

export interface LazySources {
  /** Those that are switched on. */
  readonly sources: readonly ManagedSource[];
  readonly members: CribSources;
}

/** Checks settings as the configuration would. Throws CONFIG_INVALID or a `ConfigError`. */
export const checkedSettings = async (
  kind: string,
  name: string,
  settings: unknown,
): Promise<readonly [ExternalKind, ExternalConfig]> => {
  const { parseConfig } = await import('../../config/load/parse-config.ts');
  const { sources } = parseConfig({ sources: { [kind]: { [name]: settings } } } as never);
  if (!Object.hasOwn(sources, kind)) {
    throw new ToolFailure('CONFIG_INVALID', `A program cannot add a source of the kind ${kind}.`, {
      suggestions: [`Kinds that can be added: ${Object.keys(sources).join(', ')}.`],
    });
  }
  const sourceKind = kind as ExternalKind;
  return [sourceKind, sources[sourceKind][name] as ExternalConfig];
};

export const sourcesOf = async (
  { secrets, home }: Pick<CribOptions, 'secrets' | 'home'>,
  { redactor, registry, packages, team, ...deps }: LazySourcesDeps,
): Promise<LazySources> => {
  const opened = lazyAsync(async () => {
    const { openSources } = await import('./open-sources.ts');
    const own = { home: userFolder(home), ...(secrets && { secrets }) };
    return openSources({ ...deps, ...own, redactor: await redactor() });
  });
  const isOff = deps.config.enforcement.disableLocalTools;
  const sources = !isOff && hasSources(deps.config) ? (await opened()).sources : [];
  const foreign = team
    ? await openTeamApis(team, { config: deps.config, opened, check: checkedSettings })
    : [];
  const ofTeam = team ? [team.source, ...foreign] : [];
  return {
    sources: [...foreign, ...sources].filter((source) => source.status().state !== 'disabled'),
    members: createExternalSources({
      sources: [...ofTeam, ...sources],
      registry,
      packages,
      open: async (kind, name, settings) => {
        if (isOff) throw noLocalTools();
        const [sourceKind, own] = await checkedSettings(kind, name, settings);
        return (await opened()).open(sourceKind, name, own);
      },
    }),
  };
};

const hasSources = ({ sources }: Config): boolean =>
  Object.values(sources).some((named) => Object.keys(named).length > 0);

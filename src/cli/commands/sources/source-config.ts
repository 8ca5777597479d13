/** Finds sources of tools other than MCP servers in the configuration. */
import type { Config } from '../../../config/schema.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { type ConfigDeps, isSetByProject } from '../../session/config-edit.ts';

export interface ConfiguredSource {
  /** The key below `sources`. */
  readonly kind: keyof Config['sources'];
  readonly name: string;
  readonly settings: Config['sources'][keyof Config['sources']][string];
}

/** Lists the sources of the configuration, whether they are switched on or not. */
export const configuredSources = ({ loaded }: ConfigDeps): readonly ConfiguredSource[] =>
  (Object.keys(loaded.config.sources) as ConfiguredSource['kind'][]).flatMap((kind) =>
    Object.entries(loaded.config.sources[kind]).map(([name, settings]) => ({
      kind,
      name,
      settings,
    })),
  );

export const sourceNamed = (deps: ConfigDeps, name: string): ConfiguredSource | undefined =>
  configuredSources(deps).find((source) => source.name === name);

const isServer = ({ loaded }: ConfigDeps, name: string): boolean =>
  Object.hasOwn(loaded.config.mcp.servers, name);

/** Finds a source. Fails with NOT_FOUND, and names where to look. */
export const requireSource = async (deps: ConfigDeps, name: string): Promise<ConfiguredSource> => {
  const source = sourceNamed(deps, name);
  if (source) return source;
  const names = configuredSources(deps).map((source) => source.name);
  const { closest, distance } = await import('fastest-levenshtein');
  const close = names.length === 0 ? undefined : closest(name, names);
  throw new ToolFailure('NOT_FOUND', 'No source of this name is configured.', {
    suggestions: [
      ...(isServer(deps, name) ? [`It is an MCP server: toolcrib servers test ${name}`] : []),
      ...(close !== undefined && distance(name, close) <= 2 ? [`Did you mean ${close}?`] : []),
      'See which there are: toolcrib sources',
      'Add one: toolcrib add <address>',
    ],
  });
};

/** Tells whether the project's file defines the source. */
export const isOfProject = (
  deps: ConfigDeps,
  { kind, name, settings }: ConfiguredSource,
): boolean =>
  isSetByProject(
    deps,
    Object.keys(settings)
      .filter((key) => key !== 'enabled')
      .map((key) => `sources.${kind}.${name}.${key}`),
  );

/** Refuses a name that a source or a server already has: messages, locks and commands use the name. */
export const assertFreeName = (
  deps: ConfigDeps,
  { kind, name }: Pick<ConfiguredSource, 'name'> & { readonly kind: string },
  replace: boolean,
): void => {
  const source = sourceNamed(deps, name);
  if (isServer(deps, name)) {
    throw new ToolFailure('CONFLICT', `There is an MCP server ${name} already.`, {
      suggestions: ['Choose another name: --name <name>'],
    });
  }
  if (!source || (replace && source.kind === kind)) return;
  throw new ToolFailure('CONFLICT', `There is a source ${name} already (${source.kind}).`, {
    suggestions: [
      source.kind === kind
        ? 'Choose another name with --name, or add --replace.'
        : `Choose another name with --name, or remove it first: toolcrib sources remove ${name}`,
    ],
  });
};

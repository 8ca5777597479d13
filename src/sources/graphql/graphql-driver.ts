/** Turns the queries and mutations of a GraphQL service into tools. */
import type {
  BuildDeps,
  ExternalSettings,
  ReadDeps,
  SourceDriver,
  SourceReading,
} from '../../contract/source-driver.ts';
import type { Tool } from '../../contract/tool.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { pingAddress } from '../../kit/http/ping-address.ts';
import { buildOperation } from './build/build-operation.ts';
import { nameFilter, nameOperations, type Operation } from './build/operation-names.ts';
import { ownSettings } from './graphql-settings.ts';
import { fieldsOf, type GraphqlDefinition, isDefinition, type Types } from './schema/definition.ts';
import { fullSchema } from './schema/full-schema.ts';
import { inputFault } from './schema/input-schema.ts';
import { readSchema } from './schema/read-schema.ts';

const DEFAULT_DEPTH = 3;
const DEFAULT_FIELDS = 80;

const NO_SUBSCRIPTIONS = 'it is a subscription: there is one answer to a call, and no stream';

const read = async (
  settings: ExternalSettings,
  deps: ReadDeps,
): Promise<SourceReading<GraphqlDefinition>> => {
  const { definition, file } = await readSchema(settings, deps);
  return { definition, files: file === undefined ? [] : [deps.absolutePath(file)] };
};

const operationsOf = (
  { query, mutation }: GraphqlDefinition,
  types: Types,
): readonly Operation[] => [
  ...fieldsOf(types, query).map((field) => ({ kind: 'query', field }) as const),
  ...(mutation === undefined ? [] : fieldsOf(types, mutation)).map(
    (field) => ({ kind: 'mutation', field }) as const,
  ),
];

const build = (
  definition: unknown,
  settings: ExternalSettings,
  { refuse }: BuildDeps,
): readonly Tool[] | undefined => {
  if (!isDefinition(definition)) return undefined;
  const own = ownSettings(settings);
  const { maxDepth = DEFAULT_DEPTH, maxFields = DEFAULT_FIELDS } = own;
  const types: Types = new Map(Object.entries(definition.types));
  const isWanted = nameFilter(own);
  const checker = lazyAsync(async () => {
    const library = await import('graphql');
    return { library, schema: fullSchema(definition, types, library) };
  });
  for (const name of definition.subscriptions) {
    if (isWanted('subscription', name)) refuse({ name, reason: NO_SUBSCRIPTIONS });
  }
  const deps = { types, settings, limits: { maxDepth, maxFields }, checker };
  return nameOperations(operationsOf(definition, types)).flatMap((operation) => {
    const { kind, field } = operation;
    if (!isWanted(kind, field.name)) return [];
    const reason = inputFault(field.args ?? [], types);
    if (reason === undefined) return [buildOperation(operation, deps)];
    refuse({ name: field.name, reason });
    return [];
  });
};

export const createGraphqlDriver = (): SourceDriver => ({
  kind: 'graphql',
  locationOf: (settings) => ownSettings(settings).url,
  read,
  async ping(_definition, settings, deps) {
    const { url, schema } = ownSettings(settings);
    // Otherwise the reading has asked an address already.
    if (schema !== undefined && !/^https?:/i.test(schema)) await pingAddress(url, deps);
  },
  build,
});

/** OpenAPI documents as sources of tools: every operation is a tool. */
import { ToolFailure } from '../../contract/errors.ts';
import type {
  BuildDeps,
  ExternalSettings,
  SourceDriver,
  SourceReading,
} from '../../contract/source-driver.ts';
import type { Tool } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { pingAddress } from '../../kit/http/ping-address.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { ClientTokens } from './auth/client-tokens.ts';
import { type CredentialDeps, credentialsOf } from './auth/credentials.ts';
import { SecuritySchemes } from './auth/security-schemes.ts';
import { buildTool } from './build-tool.ts';
import { INLINE, isAddress, isInline, optionsOf } from './openapi-settings.ts';
import { isDefinition, type OpenapiDefinition } from './operations/definition.ts';
import { listOperations, type Operation } from './operations/list-operations.ts';
import { operationFilter, operationNames } from './operations/operation-names.ts';
import { Resolver } from './operations/resolver.ts';
import { Servers } from './operations/servers.ts';
import { DocumentPool } from './read/document-pool.ts';
import { readDocuments } from './read/read-documents.ts';
import { SchemaBook } from './schema/schema-book.ts';

const NO_TRACE = 'it has the method TRACE, which clients do not send';
const NO_SERVER = 'the document names no address to send it to; set "baseUrl" of the source';

class SourceTools {
  readonly #settings: ExternalSettings;
  readonly #deps: BuildDeps;
  readonly #book: SchemaBook;
  readonly #servers: Servers;
  readonly #schemes: SecuritySchemes;
  readonly #credentials: CredentialDeps;

  constructor(definition: OpenapiDefinition, settings: ExternalSettings, deps: BuildDeps) {
    const resolver = new Resolver(definition);
    const options = optionsOf(settings);
    this.#settings = settings;
    this.#deps = deps;
    this.#book = new SchemaBook(resolver);
    this.#servers = new Servers(options, resolver);
    this.#schemes = new SecuritySchemes(options, resolver);
    this.#credentials = {
      clientTokens: new ClientTokens(deps.runtime, deps.learn),
      tokens: deps.tokens,
      servers: this.#servers,
      headers: settings.headers,
    };
  }

  build(): readonly Tool[] {
    for (const name of this.#schemes.unknown) {
      const has = this.#schemes.described.map(visibleText).join(', ') || 'none';
      const reason = `the document has no such security scheme that can be used (it has ${has}); give its "type" in the settings`;
      this.#deps.refuse({ name: `auth.${visibleText(name)}`, reason });
    }
    const operations = listOperations(this.#book.resolver);
    // Of all operations, so that a filter changes no name.
    const names = operationNames(operations);
    const isWanted = operationFilter(optionsOf(this.#settings));
    const taken = new Set<string>();
    return operations.flatMap((operation) => {
      const name = names.get(operation) ?? '';
      if (!isWanted({ ...operation, name })) return [];
      const tool = taken.has(name)
        ? this.#refuse(name, 'its name is taken')
        : this.#tool(name, operation);
      taken.add(name);
      return tool ?? [];
    });
  }

  #tool(name: string, operation: Operation): Tool | undefined {
    if (operation.method === 'trace') return this.#refuse(name, NO_TRACE);
    const server = this.#servers.of(operation);
    if (!server) return this.#refuse(name, NO_SERVER);
    try {
      const credentials = credentialsOf(this.#schemes.of(operation), server, this.#credentials);
      const { settings, deps } = { settings: this.#settings, deps: this.#deps };
      return buildTool({ name, operation, server, credentials, book: this.#book, settings, deps });
    } catch (error) {
      return this.#refuse(name, reasonOf(error));
    }
  }

  #refuse(name: string, reason: string): undefined {
    this.#deps.refuse({ name, reason });
  }
}

const filesOf = ({ documents }: OpenapiDefinition): readonly string[] =>
  Object.keys(documents).filter((address) => !isAddress(address) && address !== INLINE);

/** Shows where the document is, without a query: that may hold a key. */
const locationOf = (settings: ExternalSettings): string => {
  const { document } = optionsOf(settings);
  if (isInline(document)) return INLINE;
  if (!isAddress(document) || !URL.canParse(document)) return visibleText(document);
  const { origin, pathname } = new URL(document);
  return `${origin}${pathname}`;
};

/** Creates the driver. Drivers with one pool share the documents that they read. */
export const createOpenapiDriver = (pool = new DocumentPool()): SourceDriver => ({
  kind: 'openapi',
  locationOf,
  async read(settings, deps): Promise<SourceReading<OpenapiDefinition>> {
    const definition = await readDocuments(settings, deps, pool);
    const resolver = new Resolver(definition);
    if (listOperations(resolver).length === 0) {
      throw new ToolFailure('CONFIG_INVALID', 'The OpenAPI document has no operations.', {
        suggestions: ['Check that it is the right document, and that it has "paths".'],
      });
    }
    return { definition, files: filesOf(definition).map((path) => deps.absolutePath(path)) };
  },
  async ping(definition, settings, deps) {
    const options = optionsOf(settings);
    // Elsewhere the reading has asked already.
    if (isAddress(options.document) || !isDefinition(definition)) return;
    const resolver = new Resolver(definition);
    const servers = new Servers(options, resolver);
    const [server] = listOperations(resolver).flatMap((operation) => servers.of(operation) ?? []);
    if (server) await pingAddress(server.url, deps);
  },
  build(definition, settings, deps) {
    if (!isDefinition(definition)) return undefined;
    return new SourceTools(definition, settings, deps).build();
  },
});

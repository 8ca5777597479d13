/**
 * Finds the address that an operation is sent to. The user's `baseUrl` counts before everything that
 * the document says; addresses of the document are checked, because its author may be hostile.
 */
import { isRecord } from '../../../kit/data/is-record.ts';
import { isLoopback } from '../../../kit/http/loopback.ts';
import { isAddress, type OpenapiOptions } from '../openapi-settings.ts';
import type { Fields } from './definition.ts';
import type { Operation } from './list-operations.ts';
import type { Resolver } from './resolver.ts';

export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
  readonly host: string;
  /**
   * Whether credentials may be sent there: the configuration names the host, and the connection is
   * private.
   */
  readonly takesCredentials: boolean;
  /** Whether it is on this machine and the configuration names it. */
  readonly isLocal: boolean;
  /** Whether it is on this machine and only the document names it. */
  readonly isForeignLocal: boolean;
}

const MAX_SERVERS = 100;
const VARIABLE = /\{([^{}]{1,200})\}/g;

const withVariables = (
  { url, variables }: Fields,
  chosen: Readonly<Record<string, string>>,
): string | undefined => {
  if (typeof url !== 'string' || url.length > 2000) return undefined;
  let isComplete = true;
  const text = url.replaceAll(VARIABLE, (_, name: string) => {
    if (Object.hasOwn(chosen, name)) return chosen[name] as string;
    const variable = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : {};
    const value = isRecord(variable) ? (variable.default ?? firstOf(variable.enum)) : undefined;
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    isComplete = false;
    return '';
  });
  return isComplete ? text : undefined;
};

const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);

/** Converts the servers of Swagger 2 to those of OpenAPI 3. */
const swaggerServers = ({ host, basePath, schemes }: Fields): readonly Fields[] => {
  const path = typeof basePath === 'string' ? basePath : '';
  if (typeof host !== 'string' || host === '') return path === '' ? [] : [{ url: path }];
  const names = Array.isArray(schemes) && schemes.length > 0 ? (schemes as unknown[]) : ['https'];
  return names
    .filter((name) => name === 'https' || name === 'http')
    .map((name) => ({
      url: `${String(name)}://${host}${path.startsWith('/') || path === '' ? '' : '/'}${path}`,
    }));
};

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isRecord).slice(0, MAX_SERVERS) : [];

/** Parses an address of http or https, without credentials, query and fragment. */
const parsed = (text: string, base: string): URL | undefined => {
  const against = isAddress(base) ? base : undefined;
  if (!URL.canParse(text, against)) return undefined;
  const url = new URL(text, against);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  if (url.hostname === '' || url.username !== '' || url.password !== '') return undefined;
  url.search = '';
  url.hash = '';
  return url;
};

export class Servers {
  readonly #options: OpenapiOptions;
  readonly #configured: ReadonlySet<string>;
  readonly #root: Server | undefined;

  constructor(options: OpenapiOptions, resolver: Resolver) {
    this.#options = options;
    const { baseUrl, document, hosts = [] } = options;
    this.#configured = new Set([
      ...hosts.map((host) => host.toLowerCase()),
      ...[baseUrl, document].flatMap((text) =>
        text !== undefined && isAddress(text) && URL.canParse(text) ? [new URL(text).host] : [],
      ),
    ]);
    const { root, rootAddress } = resolver;
    this.#root =
      baseUrl === undefined
        ? this.#choose(rootServers(root), rootAddress, options.server)
        : this.#serverOf(new URL(baseUrl));
  }

  /** Returns the address of operations that name none; `undefined` when the document has none. */
  get root(): Server | undefined {
    return this.#root;
  }

  /** Tells whether the configuration names the host; only such hosts get credentials. */
  isConfigured(host: string): boolean {
    return this.#configured.has(host);
  }

  of({ fields, pathFields, address }: Operation): Server | undefined {
    if (this.#options.baseUrl !== undefined) return this.#root;
    const own = listOf(fields.servers);
    const servers = own.length > 0 ? own : listOf(pathFields.servers);
    return servers.length > 0 ? this.#choose(servers, address, undefined) : this.#root;
  }

  /** Chooses the server that the user chose, else the first over https, else the first. */
  #choose(servers: readonly Fields[], base: string, index: number | undefined): Server | undefined {
    const { variables = {} } = this.#options;
    const list = index === undefined ? servers : servers.slice(index, index + 1);
    const urls = list.flatMap((server) => {
      const text = withVariables(server, variables);
      return (text !== undefined && parsed(text, base)) || [];
    });
    const url = urls.find(({ protocol }) => protocol === 'https:') ?? urls[0];
    return url && this.#serverOf(url);
  }

  #serverOf(url: URL): Server {
    const { host } = url;
    const text = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
    const isNamed = this.#configured.has(host);
    const isHere = isLoopback(url);
    const { baseUrl } = this.#options;
    // The user may choose plain http; a document may not.
    const isSafe = url.protocol === 'https:' || isHere || baseUrl !== undefined;
    return {
      url: text,
      host,
      takesCredentials: isNamed && isSafe,
      isLocal: isNamed && isHere,
      isForeignLocal: !isNamed && isHere,
    };
  }
}

const rootServers = (root: Fields): readonly Fields[] => {
  const servers = root.swagger === undefined ? listOf(root.servers) : swaggerServers(root);
  // Without servers, the address of the document counts.
  return servers.length > 0 ? servers : [{ url: '/' }];
};

/**
 * Finds the credentials of an operation. The document says how a credential is sent; the user's
 * configuration says which one is sent, and whether.
 */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { OpenapiOptions, SchemeSettings } from '../openapi-settings.ts';
import type { Fields } from '../operations/definition.ts';
import type { Operation } from '../operations/list-operations.ts';
import type { Resolver } from '../operations/resolver.ts';

/** A security scheme that the user has given a credential for. */
export interface Scheme {
  readonly name: string;
  readonly settings: SchemeSettings;
  readonly kind:
    | 'basic'
    | 'bearer'
    | 'header'
    | 'query'
    | 'cookie'
    | 'client-credentials'
    | 'login';
  /** The header, query parameter or cookie. */
  readonly parameter: string;
  /** Where tokens are issued, by the document. */
  readonly tokenUrl: string | undefined;
  readonly scopes: readonly string[];
}

const PARAMETER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** Headers that no document may have a secret sent in, because they change the request itself. */
const FRAMING =
  /^(?:host|content-.*|transfer-encoding|connection|cookie|upgrade|te|trailer|expect|proxy-connection)$/i;

const flowsOf = ({ flows, flow, tokenUrl }: Fields): Fields =>
  isRecord(flows) ? flows : typeof flow === 'string' ? { [flow]: { tokenUrl } } : {};

const tokenUrlOf = (definition: Fields): string | undefined => {
  const flows = flowsOf(definition);
  const flow =
    flows.clientCredentials ?? flows.application ?? flows.authorizationCode ?? flows.accessCode;
  return isRecord(flow) && typeof flow.tokenUrl === 'string' ? flow.tokenUrl : undefined;
};

type Manner = Pick<Scheme, 'kind' | 'parameter'>;

const apiKeyManner = ({ in: place, name }: Fields): Manner | undefined => {
  if (typeof name !== 'string' || !PARAMETER.test(name)) return undefined;
  if (place === 'query' || place === 'cookie') return { kind: place, parameter: name };
  return place === 'header' && !FRAMING.test(name)
    ? { kind: 'header', parameter: name }
    : undefined;
};

const oauthManner = (settings: SchemeSettings): Manner => {
  if (settings.login === true) return { kind: 'login', parameter: '' };
  // A token that the user got elsewhere.
  if (settings.secret !== undefined) return { kind: 'bearer', parameter: '' };
  return { kind: 'client-credentials', parameter: '' };
};

/** Schemes of HTTP that compute an answer from the secret: to send it as it is would only give it away. */
const COMPUTED = /^(?:digest|hoba|mutual|negotiate|ntlm|scram-.*|vapid|dpop)$/i;

const httpManner = (scheme: string): Manner | undefined => {
  if (COMPUTED.test(scheme)) return undefined;
  return { kind: scheme.toLowerCase() === 'basic' ? 'basic' : 'bearer', parameter: '' };
};

const mannerOf = (definition: Fields, settings: SchemeSettings): Manner | undefined => {
  const { type, parameter = 'Authorization' } = settings;
  if (type !== undefined) return { kind: type, parameter };
  if (settings.login === true) return { kind: 'login', parameter: '' };
  switch (definition.type) {
    case 'apiKey':
      return apiKeyManner(definition);
    case 'basic':
      return { kind: 'basic', parameter: '' };
    case 'http':
      return httpManner(String(definition.scheme));
    case 'oauth2':
    case 'openIdConnect':
      return oauthManner(settings);
    default:
      return undefined;
  }
};

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

export class SecuritySchemes {
  readonly #settings: Readonly<Record<string, SchemeSettings>>;
  readonly #definitions: Fields;
  readonly #resolver: Resolver;

  constructor({ auth = {} }: Pick<OpenapiOptions, 'auth'>, resolver: Resolver) {
    this.#settings = auth;
    this.#resolver = resolver;
    const { components, securityDefinitions } = resolver.root;
    const listed = isRecord(components) ? components.securitySchemes : securityDefinitions;
    this.#definitions = isRecord(listed) ? listed : {};
  }

  /** Names that the document describes. */
  get described(): readonly string[] {
    return Object.keys(this.#definitions);
  }

  /** Names that the user configured and that neither the document nor the settings describe. */
  get unknown(): readonly string[] {
    return Object.keys(this.#settings).filter((name) => this.#schemeOf(name, []) === undefined);
  }

  /**
   * Returns the schemes that a request uses: the first alternative of the document for which the user has
   * configured everything. A document that says nothing of security uses all of them.
   */
  of({ fields }: Operation): readonly Scheme[] {
    const security = fields.security ?? this.#resolver.root.security;
    if (!Array.isArray(security)) {
      const [first] = Object.keys(this.#settings).flatMap((name) => this.#schemeOf(name, []) ?? []);
      return first ? [first] : [];
    }
    for (const alternative of security as unknown[]) {
      if (!isRecord(alternative) || Object.keys(alternative).length === 0) continue;
      const schemes = Object.entries(alternative).map(([name, scopes]) =>
        this.#schemeOf(name, textsOf(scopes)),
      );
      const complete = schemes.filter((scheme) => scheme !== undefined);
      if (complete.length === schemes.length) return complete;
    }
    return [];
  }

  #schemeOf(name: string, scopes: readonly string[]): Scheme | undefined {
    const settings = Object.hasOwn(this.#settings, name) ? this.#settings[name] : undefined;
    if (!settings) return undefined;
    const raw = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : {};
    const located = { value: raw, address: this.#resolver.rootAddress, pointer: '' };
    const definition = this.#resolver.fields(located)?.value ?? {};
    const manner = mannerOf(definition, settings);
    return (
      manner && {
        name,
        settings,
        ...manner,
        scopes: settings.scopes ?? scopes,
        tokenUrl: settings.tokenUrl ?? tokenUrlOf(definition),
      }
    );
  }
}

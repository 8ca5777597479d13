/** Reads the schema of a GraphQL service: by asking the service, or from a file or an address. */
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';
import { ToolFailure } from '../../../contract/errors.ts';
import type { ExternalSettings, ReadDeps } from '../../../contract/source-driver.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { graphqlFailure, readGraphqlReply } from '../../../kit/graphql/graphql-reply.ts';
import { decodeText, parseJson, readBytes } from '../../../kit/http/read-reply.ts';
import { codeForStatus } from '../../../kit/http/status-code.ts';
import { resolveSecrets } from '../../../kit/text/resolve-secrets.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { headersOf, ownSettings } from '../graphql-settings.ts';
import type { GraphqlLibrary } from './compact-schema.ts';

/** GitHub's schema has 5 MB as introspection, Shopify's about 10. */
const MAX_SCHEMA_BYTES = 50_000_000;
const MAX_TOKENS = 5_000_000;
const MAX_REASON = 500;

export interface ReadSchema {
  readonly schema: GraphQLSchema;
  /** The path of the file that was read, as the setting names it. */
  readonly file?: string;
}

const unreadable = (reason: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `The schema cannot be read: ${reason}`, {
    suggestions: ['Give a schema file in GraphQL or as introspection JSON: the setting `schema`.'],
  });

/** Runs the library over what came from outside. It throws plain errors, also for stack overflow. */
const guarded = (build: () => GraphQLSchema): GraphQLSchema => {
  try {
    return build();
  } catch (error) {
    throw unreadable(visibleText(reasonOf(error).slice(0, MAX_REASON)));
  }
};

const introspectionIn = (value: unknown): IntrospectionQuery | undefined => {
  const data = isRecord(value) && isRecord(value.data) ? value.data : value;
  return isRecord(data) && isRecord(data.__schema)
    ? (data as unknown as IntrospectionQuery)
    : undefined;
};

const fromIntrospection = (value: unknown, library: GraphqlLibrary): GraphQLSchema => {
  const introspection = introspectionIn(value);
  if (!introspection) throw unreadable('it is JSON, but no introspection result.');
  return guarded(() => library.buildClientSchema(introspection, { assumeValid: true }));
};

/** Directives of vendors that are applied and not defined are no fault. */
const fromText = (text: string, library: GraphqlLibrary): GraphQLSchema => {
  if (/^[\s\ufeff]*\{/.test(text)) {
    const json = parseJson(text.replace(/^\ufeff/, ''));
    if (!json) throw unreadable('it starts like JSON and is not valid JSON.');
    return fromIntrospection(json.value, library);
  }
  return guarded(() => {
    const document = library.parse(text, { noLocation: true, maxTokens: MAX_TOKENS });
    return library.buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  });
};

/** Newer fields of introspection first; a service that does not know them is asked without. */
const QUESTIONS = [
  { specifiedByUrl: true, inputValueDeprecation: true, oneOf: true },
  { specifiedByUrl: true, inputValueDeprecation: true },
  {},
] as const;

const ask = async (
  question: (typeof QUESTIONS)[number],
  settings: ExternalSettings,
  { deps, library }: { readonly deps: ReadDeps; readonly library: GraphqlLibrary },
): Promise<ReturnType<typeof readGraphqlReply>> => {
  const headers = new Headers(await resolveSecrets(headersOf(settings), deps.secret));
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json, application/json;q=0.9');
  const query = library.getIntrospectionQuery({ descriptions: true, ...question });
  const response = await deps.fetch(ownSettings(settings).url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query, operationName: 'IntrospectionQuery' }),
    signal: deps.signal,
  });
  return readGraphqlReply(response, await readBytes(response, MAX_SCHEMA_BYTES));
};

const introspect = async (
  settings: ExternalSettings,
  deps: ReadDeps,
  library: GraphqlLibrary,
): Promise<GraphQLSchema> => {
  let failure = unreadable('the service gave no answer.');
  for (const question of QUESTIONS) {
    const { data, errors } = await ask(question, settings, { deps, library });
    if (introspectionIn(data)) return fromIntrospection(data, library);
    const refusal = graphqlFailure(errors, '');
    if (refusal.code === 'AUTH_MISSING' || refusal.code === 'PERMISSION_DENIED') throw refusal;
    failure = unreadable(
      `the service did not answer the question for its schema (introspection). ${refusal.message}`,
    );
  }
  throw failure;
};

const download = async (
  address: string,
  settings: ExternalSettings,
  { fetch, secret, signal }: ReadDeps,
): Promise<Uint8Array> => {
  // Credentials of the service go to no other origin.
  const isOwn = new URL(address).origin === new URL(ownSettings(settings).url).origin;
  const headers = isOwn ? await resolveSecrets(headersOf(settings), secret) : {};
  const response = await fetch(address, { headers, signal });
  if (!response.ok) {
    const code = codeForStatus(response.status);
    throw new ToolFailure(code, `The schema was answered with status ${response.status}.`);
  }
  return readBytes(response, MAX_SCHEMA_BYTES);
};

/** Rejects with the reason; CONFIG_INVALID where the schema itself is at fault. */
export const readSchema = async (
  settings: ExternalSettings,
  deps: ReadDeps,
  library: GraphqlLibrary,
): Promise<ReadSchema> => {
  const { schema: from } = ownSettings(settings);
  if (from === undefined) return { schema: await introspect(settings, deps, library) };
  if (/^https?:\/\//i.test(from)) {
    return { schema: fromText(decodeText(await download(from, settings, deps)), library) };
  }
  const bytes = await deps.readFile(from);
  if (bytes.byteLength > MAX_SCHEMA_BYTES) throw unreadable('the file is too large.');
  return { schema: fromText(decodeText(bytes), library), file: from };
};

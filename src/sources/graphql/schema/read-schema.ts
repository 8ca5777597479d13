/** Reads the schema of a GraphQL service: by asking the service, or from a file or an address. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { ExternalSettings, ReadDeps } from '../../../contract/source-driver.ts';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import { graphqlFailure, readGraphqlReply } from '../../../kit/graphql/graphql-reply.ts';
import { decodeText, readBytes } from '../../../kit/http/read-reply.ts';
import { codeForStatus } from '../../../kit/http/status-code.ts';
import { resolveSecrets } from '../../../kit/text/resolve-secrets.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type DataWork, runDataWork } from '../../../kit/work/data-work.ts';
import { headersOf, ownSettings } from '../graphql-settings.ts';
import type { GraphqlLibrary } from './compact-schema.ts';
import type { GraphqlDefinition } from './definition.ts';
import { introspectionIn, type SchemaInput } from './definition-work.ts';
import { unreadable } from './unreadable.ts';

/** GitHub's schema has 5 MB as introspection, Shopify's about 10. */
const MAX_SCHEMA_BYTES = 50_000_000;
const SMALL_TEXT = 64_000;
const MAX_MS = 60_000;
const MEMORY_MB = 2048;

/** In a process of its own where it is not small: the author of a schema may mean it to take long. */
const DEFINING: DataWork<SchemaInput, GraphqlDefinition> = {
  what: 'GraphQL schema',
  file: 'definition-work',
  from: import.meta.url,
  load: () => import('./definition-work.ts'),
  isSmall: (input) => 'text' in input && input.text.length <= SMALL_TEXT,
  maxMs: MAX_MS,
  memoryMb: MEMORY_MB,
  code: 'CONFIG_INVALID',
};

export interface ReadSchema {
  readonly definition: GraphqlDefinition;
  /** The path of the file that was read, as the setting names it. */
  readonly file?: string;
}

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

const ADVICE: Readonly<Record<string, readonly string[]>> = {
  AUTH_MISSING: [
    'Name the secret that holds a token: bearer of the source, or --bearer <key>.',
    'Or give the schema as a file: schema of the source, or --schema <file>.',
  ],
  NOT_FOUND: ['Check the address: GraphQL services mostly answer at a path such as /graphql.'],
};

/** Adds what to do where the service asks for a login or is not there; any other failure stays as it is. */
const withAdvice = (error: unknown): unknown => {
  if (!(error instanceof ToolFailure)) return error;
  const advice = ADVICE[error.code];
  if (!advice) return error;
  const suggestions = [...(error.extras.suggestions ?? []), ...advice];
  return new ToolFailure(error.code, error.message, { ...error.extras, suggestions });
};

/** Explains why a file cannot be read. A `ToolFailure` names the reason already. */
const fileFault = (file: string, error: unknown): unknown =>
  error instanceof ToolFailure
    ? error
    : unreadable(`the file ${visibleText(file)} cannot be read (${errorCodeOf(error)}).`);

const introspect = async (
  settings: ExternalSettings,
  deps: ReadDeps,
): Promise<GraphqlDefinition> => {
  const library = await import('graphql');
  let failure = unreadable('the service gave no answer.');
  for (const question of QUESTIONS) {
    const { data, errors } = await ask(question, settings, { deps, library }).catch(
      (error: unknown) => {
        throw withAdvice(error);
      },
    );
    if (data && introspectionIn(data)) {
      return runDataWork(DEFINING, { introspection: data }, deps.signal);
    }
    const refusal = graphqlFailure(errors, '');
    if (refusal.code === 'AUTH_MISSING') throw withAdvice(refusal);
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
): Promise<ReadSchema> => {
  const { schema: from } = ownSettings(settings);
  if (from === undefined) return { definition: await introspect(settings, deps) };
  const isFile = !/^https?:\/\//i.test(from);
  const bytes = isFile
    ? await deps.readFile(from, { maxBytes: MAX_SCHEMA_BYTES }).catch((error: unknown) => {
        throw fileFault(from, error);
      })
    : await download(from, settings, deps);
  const definition = await runDataWork(DEFINING, { text: decodeText(bytes) }, deps.signal);
  return { definition, ...(isFile && { file: from }) };
};

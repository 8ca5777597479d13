/** Makes the request of a call, and reads its answer. */
import type { ToolContext } from '../../../contract/context.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { ExternalSettings } from '../../../contract/source-driver.ts';
import {
  errorTexts,
  type GraphqlError,
  graphqlFailure,
  readGraphqlReply,
} from '../../../kit/graphql/graphql-reply.ts';
import { readBytes } from '../../../kit/http/read-reply.ts';
import { resolveSecrets } from '../../../kit/text/resolve-secrets.ts';
import { headersOf, ownSettings } from '../graphql-settings.ts';
import type { Operation } from './operation-names.ts';

export interface OperationResult {
  readonly data: unknown;
  readonly errors?: readonly GraphqlError[];
}

export interface Question {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const requestHeaders = async (
  settings: ExternalSettings,
  kind: Operation['kind'],
  context: ToolContext,
): Promise<Headers> => {
  const headers = new Headers(
    await resolveSecrets(headersOf(settings), (key) => context.secret(key)),
  );
  headers.set('content-type', 'application/json');
  headers.set('accept', 'application/graphql-response+json, application/json;q=0.9');
  if (kind === 'mutation') headers.set('idempotency-key', context.idempotencyKey);
  return headers;
};

const MAX_ERRORS = 20;

export const runOperation = async (
  { kind, field }: Operation,
  question: Question,
  { settings, context }: { readonly settings: ExternalSettings; readonly context: ToolContext },
): Promise<OperationResult> => {
  const headers = await requestHeaders(settings, kind, context);
  const body = JSON.stringify({ ...question, operationName: field.name });
  const { url } = ownSettings(settings);
  // A mutation is not sent again to another address.
  const redirect = kind === 'mutation' ? 'manual' : 'follow';
  const response = await context.fetch(url, { method: 'POST', headers, body, redirect });
  const bytes = await readBytes(response, settings.maxOutputBytes);
  const { data, errors } = readGraphqlReply(response, bytes);
  const value = data && Object.hasOwn(data, field.name) ? data[field.name] : undefined;
  if (value !== undefined && value !== null) {
    if (errors.length === 0) return { data: value };
    context.warn(`The service could answer a part only: ${errorTexts(errors).join('; ')}`);
    return { data: value, errors: errors.slice(0, MAX_ERRORS) };
  }
  if (errors.length > 0) throw graphqlFailure(errors, '');
  if (value === null) return { data: null };
  throw new ToolFailure('OUTPUT_INVALID', 'The answer does not have the field that was asked for.');
};

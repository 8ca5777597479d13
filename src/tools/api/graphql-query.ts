/** `graphql_query`: one operation at a GraphQL endpoint; queries and mutations are judged separately. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Capability, Tool } from '../../contract/tool.ts';
import { graphqlError, graphqlFailure, readGraphqlReply } from '../../kit/graphql/graphql-reply.ts';
import { readBytes } from '../../kit/http/read-reply.ts';
import { type HostCredentials, headerFor, secretsOf } from '../host-credential.ts';
import { checkDocument } from './graphql-document.ts';

const input = () =>
  z.strictObject({
    endpoint: z
      .url({ protocol: /^https?$/ })
      .max(8192)
      .describe('The address of the GraphQL service.'),
    query: z.string().min(1).max(100_000).describe('The GraphQL document.'),
    operation: z
      .enum(['query', 'mutation'])
      .default('query')
      .describe('What the document does. A document that does something else is refused.'),
    operationName: z.string().max(256).optional().describe('Which operation of several is meant.'),
    variables: z.record(z.string().max(256), z.unknown()).default({}).describe('Its variables.'),
    headers: z
      .record(
        z.string().regex(/^[A-Za-z0-9_-]{1,128}$/),
        z.string().regex(/^[\t\x20-\x7e]{0,8192}$/),
      )
      .default({})
      .describe('Request headers.'),
    maxBytes: z.int().min(1).max(10_000_000).default(1_000_000).describe('The largest response.'),
  });

const output = () =>
  z.strictObject({
    data: z.record(z.string(), z.unknown()).describe('What was asked for.'),
    errors: z.array(graphqlError()).describe('What could not be answered; empty when all was.'),
    extensions: z.record(z.string(), z.unknown()).optional().describe('What the service adds.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;
/** Reads the answer. Fails for one without data, with the codes of its errors. */
const answerOf = (response: Response, bytes: Uint8Array): Output => {
  const { data, errors, extensions } = readGraphqlReply(response, bytes);
  if (data === undefined) throw graphqlFailure(errors, 'query');
  return { data, errors: [...errors], ...(extensions && { extensions }) };
};

const ask = async (
  request: Input,
  context: ToolContext,
  credentials: HostCredentials,
): Promise<Output> => {
  await checkDocument(request);
  const address = new URL(request.endpoint);
  const headers = new Headers(request.headers);
  headers.set('accept', 'application/graphql-response+json, application/json;q=0.9');
  headers.set('content-type', 'application/json');
  if (request.operation === 'mutation') headers.set('idempotency-key', context.idempotencyKey);
  const credential = await headerFor(address, credentials, context);
  if (credential) headers.set(credential.name, credential.value);
  const { query, variables, operationName } = request;
  const body = JSON.stringify({
    query,
    variables,
    ...(operationName !== undefined && { operationName }),
  });
  const response = await context.fetch(address, { method: 'POST', headers, body });
  const answer = answerOf(response, await readBytes(response, request.maxBytes));
  if (answer.errors.length > 0) context.warn('The service could answer a part only: see errors.');
  return answer;
};

export interface GraphqlQueryOptions {
  /** Credentials by host: each is sent to its own host only. */
  readonly credentials?: HostCredentials;
}

const CAPABILITIES: readonly Capability[] = [
  {
    action: 'query',
    description: 'Read from a GraphQL service.',
    tier: 'read_only',
    // An address can carry data to a foreign host.
    requiresConfirmation: true,
  },
  {
    action: 'mutation',
    description: 'Change something at a GraphQL service.',
    requiresConfirmation: true,
    destructive: true,
  },
];

export const defineGraphqlQuery = ({
  credentials = {},
}: GraphqlQueryOptions = {}): Tool<Input, Output> =>
  defineTool({
    name: 'graphql_query',
    description:
      'Runs one operation at a GraphQL endpoint. Set operation to "mutation" for one that changes something.',
    documentation:
      'The document is parsed before anything is sent. One that does more than operation declares is refused, and so are subscriptions. Answers that hold data and errors are given with both, and a warning. An endpoint whose host is named in services.credentials of your own configuration gets its secret over https; no other host does.',
    source: 'builtin',
    category: 'api',
    tier: 'external_api',
    capabilities: CAPABILITIES,
    actionField: 'operation',
    permissions: ['tool:graphql_query'],
    needs: { hosts: ['*'], secrets: secretsOf(credentials) },
    labels: { trust: 'untrusted' },
    cost: { model: 'free' },
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 1000 },
    aliases: ['api:graphql'],
    tags: ['graphql', 'api', 'query', 'mutation'],
    examples: [
      {
        title: 'Ask for a field',
        input: { endpoint: 'https://api.example.com/graphql', query: '{ hello }' },
        output: { data: { hello: 'world' }, errors: [] },
      },
      {
        title: 'Change something',
        input: {
          endpoint: 'https://api.example.com/graphql',
          operation: 'mutation',
          query: 'mutation Add($n: Int!) { add(by: $n) }',
          variables: { n: 2 },
        },
        output: { data: { add: 2 } },
      },
    ],
    input,
    output,
    run: (request, context) => ask(request, context, credentials),
  });

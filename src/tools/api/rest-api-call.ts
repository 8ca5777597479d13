/** `rest_api_call`: makes one HTTP request to a public host and returns the answer. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Capability, Tool } from '../../contract/tool.ts';
import {
  charsetOf,
  decodeText,
  parseJson,
  readBytes,
  retryAfterMs,
} from '../../kit/http/read-reply.ts';
import { type HostCredentials, headerFor, secretsOf } from '../host-credential.ts';
import { appendAll, checkBody, encodeBody } from './rest-body.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const scalar = () => z.union([z.string().max(8192), z.number(), z.boolean()]);
/** Describes the name of a header. Those of the connection are allowed, because the guard removes them. */
const headerName = () => z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'No header name.');
const headerValue = () =>
  z
    .string()
    .max(8192)
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'One line.');

const input = () =>
  z
    .strictObject({
      method: z.enum(METHODS).default('GET').describe('The HTTP method.'),
      url: z
        .url({ protocol: /^https?$/ })
        .max(8192)
        .describe('The address, http or https.'),
      query: z
        .record(z.string().max(256), z.union([scalar(), z.array(scalar()).max(100)]))
        .default({})
        .describe('Added to the query of the address; a list gives the name several times.'),
      headers: z.record(headerName(), headerValue()).default({}).describe('Request headers.'),
      body: z.unknown().optional().describe('The body, as bodyType says; none when absent.'),
      bodyType: z
        .enum(['json', 'form', 'text'])
        .default('json')
        .describe('How the body is written: as JSON, as a form, or as it is.'),
      response: z
        .enum(['auto', 'json', 'text', 'base64'])
        .default('auto')
        .describe('How the response body is given. auto: JSON where it is JSON, text otherwise.'),
      followRedirects: z.boolean().default(true).describe('Follow redirects; each hop is checked.'),
      maxBytes: z.int().min(1).max(10_000_000).default(1_000_000).describe('The largest response.'),
      timeout: z.int().min(1).max(120_000).default(30_000).describe('Milliseconds to wait for it.'),
    })
    .superRefine(checkBody);

const output = () =>
  z.strictObject({
    status: z.int().describe('The status, e.g. 200.'),
    ok: z.boolean().describe('True for a status from 200 to 299.'),
    url: z.string().describe('The address that answered, after redirects.'),
    headers: z.record(z.string(), z.string()).describe('Response headers, without cookies.'),
    body: z.unknown().describe('The body; null when there is none.'),
    bytes: z.int().describe('The size of the body.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

/** An address can carry data out, so a person is asked; but nothing changes, so it may be tried again. */
const CONFIRMED_READ = { tier: 'read_only', requiresConfirmation: true } as const;

const reads: readonly Capability[] = [
  { ...CONFIRMED_READ, action: 'GET', description: 'Read from an address.' },
  { ...CONFIRMED_READ, action: 'HEAD', description: 'Read the headers of an address.' },
  { ...CONFIRMED_READ, action: 'OPTIONS', description: 'Ask what an address can do.' },
];

const writes: readonly Capability[] = [
  { action: 'POST', description: 'Send data to an address.', requiresConfirmation: true },
  { action: 'PUT', description: 'Replace what is at an address.', destructive: true },
  { action: 'PATCH', description: 'Change what is at an address.', destructive: true },
  { action: 'DELETE', description: 'Delete what is at an address.', destructive: true },
];

const addressOf = ({ url, query }: Input): URL => {
  const address = new URL(url);
  appendAll(address.searchParams, query);
  return address;
};

const requestOf = async (request: Input, address: URL, deps: RestDeps): Promise<RequestInit> => {
  const { context, credentials } = deps;
  const body = encodeBody(request);
  const headers = new Headers(request.headers);
  if (body && !headers.has('content-type')) headers.set('content-type', body.type);
  const sends = !reads.some(({ action }) => action === request.method);
  if (sends && !headers.has('idempotency-key')) {
    headers.set('idempotency-key', context.idempotencyKey);
  }
  const credential = await headerFor(address, credentials, context);
  if (credential) headers.set(credential.name, credential.value);
  return {
    method: request.method,
    headers,
    redirect: request.followRedirects ? 'follow' : 'manual',
    signal: AbortSignal.timeout(request.timeout),
    ...(body && { body: body.text }),
  };
};

/** Statuses that are failures, because a later try may succeed; every other answer is data. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const busy = async (response: Response): Promise<ToolFailure> => {
  const { status, headers } = response;
  const wait = retryAfterMs(headers);
  await response.body?.cancel();
  const code = status === 429 ? 'RATE_LIMITED' : 'SERVER_ERROR';
  return new ToolFailure(code, `The service answered with status ${status}.`, {
    suggestions: ['Wait a little, then call again.'],
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
};

const isJson = (contentType: string): boolean => /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType);

const bodyOf = (bytes: Uint8Array, contentType: string, format: Input['response']): unknown => {
  if (bytes.length === 0) return null;
  if (format === 'base64') return Buffer.from(bytes).toString('base64');
  const text = decodeText(bytes, charsetOf(contentType));
  if (format === 'text' || (format === 'auto' && !isJson(contentType))) return text;
  const parsed = parseJson(text);
  if (parsed) return parsed.value;
  if (format === 'auto') return text;
  throw new ToolFailure('EXECUTION_FAILED', 'The response is no JSON.', {
    suggestions: ['Ask for response "text".'],
  });
};

interface RestDeps {
  readonly context: ToolContext;
  readonly credentials: HostCredentials;
}

const send = async (request: Input, deps: RestDeps): Promise<Output> => {
  const address = addressOf(request);
  const init = await requestOf(request, address, deps);
  const response = await deps.context.fetch(address, init);
  if (BUSY.has(response.status)) throw await busy(response);
  const bytes = await readBytes(response, request.maxBytes);
  const { status, ok, url } = response;
  // A cookie is a credential of ours at the service, so it is not shown.
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => name !== 'set-cookie'),
  );
  const body = bodyOf(bytes, headers['content-type'] ?? '', request.response);
  return { status, ok, url, headers, body, bytes: bytes.length };
};

const orTimeout = (error: unknown): never => {
  if (error instanceof Error && error.name === 'TimeoutError') {
    throw new ToolFailure('TIMEOUT', 'The service did not answer in time.');
  }
  throw error;
};

export interface RestApiCallOptions {
  /** By host: they are added to requests of these hosts, and of no others. */
  readonly credentials?: HostCredentials;
}

export const defineRestApiCall = ({
  credentials = {},
}: RestApiCallOptions = {}): Tool<Input, Output> =>
  defineTool({
    name: 'rest_api_call',
    description:
      'Makes one HTTP request to a public address and returns status, headers and body. Reading (GET, HEAD, OPTIONS) and changing (POST, PUT, PATCH, DELETE) are judged apart.',
    documentation:
      'A status of 400 or more is an answer, not a failure: look at ok and status. Four are failures: 429 is tried again after the wait that it names; 502, 503 and 504 are tried again for GET, HEAD and OPTIONS only, because another request may have had its effect. Credentials need not be part of the input: a host named in services.credentials of your own configuration gets its secret over https, in place of such a header of the input; no other host does. Private addresses can only be reached when egress.allowPrivate names them.',
    source: 'builtin',
    category: 'api',
    tier: 'external_api',
    capabilities: [...reads, ...writes],
    actionField: 'method',
    permissions: ['tool:rest_api_call'],
    needs: { hosts: ['*'], secrets: secretsOf(credentials) },
    labels: { trust: 'untrusted' },
    cost: { model: 'free' },
    timeoutMs: 300_000,
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 1000 },
    aliases: ['api:rest', 'http:request'],
    tags: ['http', 'rest', 'api', 'request', 'web'],
    examples: [
      {
        title: 'Read JSON',
        input: { url: 'https://api.example.com/items', query: { limit: 2 } },
        output: { status: 200, ok: true, body: { items: [1, 2] } },
      },
      {
        title: 'Create something',
        input: { method: 'POST', url: 'https://api.example.com/items', body: { name: 'lamp' } },
        output: { status: 201, body: { id: 'i1', name: 'lamp' } },
      },
    ],
    input,
    output,
    run: (request, context) => send(request, { context, credentials }).catch(orTimeout),
  });

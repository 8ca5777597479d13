/** Sends one request to the webhook of a workflow and reads the answer. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import {
  charsetOf,
  decodeText,
  parseJson,
  readBytes,
  retryAfterMs,
} from '../../kit/http/read-reply.ts';
import { codeForStatus } from '../../kit/http/status-code.ts';
import { resolveSecrets } from '../../kit/text/resolve-secrets.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { type N8nSettings, withoutSlash } from './n8n-settings.ts';

/** The field of the body that Toolcrib fills. */
export const METADATA = '_metadata';

export interface WebhookRequest {
  readonly webhookPath: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  readonly idempotencyKey: string;
  /** What the workflow may know of the caller. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface WebhookAnswer {
  readonly output: unknown;
  /** The id of the execution, where n8n tells it. */
  readonly executionId?: string;
  readonly durationMs: number;
}

export interface WebhookDeps {
  readonly own: N8nSettings;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxOutputBytes: number;
  readonly runtime: Pick<Runtime, 'elapsed'>;
  redact(text: string): string;
  readonly context: Pick<ToolContext, 'fetch' | 'secret' | 'signal'>;
}

const MAX_ERROR_BYTES = 64_000;
const MAX_ERROR_TEXT = 2_000;
const MAX_ID = 200;
const EXECUTION_ID = /^[\w.:-]+$/;

const SUGGESTIONS: Readonly<Record<number, string>> = {
  401: 'Set the same secret as webhookSecret here and in the credential of the Webhook node.',
  403: 'Set the same secret as webhookSecret here and in the credential of the Webhook node.',
  404: 'Publish the workflow in n8n, and compare webhookPath with the path of its Webhook node.',
};

/** Reads the id of the execution; one that is odd is left out. */
const executionIdOf = (headers: Headers): Pick<WebhookAnswer, 'executionId'> => {
  const id = headers.get('x-n8n-execution-id') ?? '';
  return id.length <= MAX_ID && EXECUTION_ID.test(id) ? { executionId: id } : {};
};

/** Reads the beginning of a body that explains a failure. */
const explanationIn = async (
  response: Response,
  redact: WebhookDeps['redact'],
): Promise<string> => {
  try {
    const text = decodeText(await readBytes(response, MAX_ERROR_BYTES));
    return visibleText(redact(text)).slice(0, MAX_ERROR_TEXT);
  } catch {
    return 'its body could not be read';
  }
};

const failureOf = async (
  response: Response,
  { redact }: Pick<WebhookDeps, 'redact'>,
): Promise<ToolFailure> => {
  const { status, headers } = response;
  const wait = retryAfterMs(headers);
  const suggestion = Object.hasOwn(SUGGESTIONS, status) ? SUGGESTIONS[status] : undefined;
  const { executionId } = executionIdOf(headers);
  const run = executionId === undefined ? '' : ` (execution ${executionId})`;
  const text = await explanationIn(response, redact);
  return new ToolFailure(codeForStatus(status), `The workflow answered ${status}${run}: ${text}`, {
    ...(suggestion !== undefined && { suggestions: [suggestion] }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
};

const outputIn = async (response: Response, maxBytes: number): Promise<unknown> => {
  const type = response.headers.get('content-type') ?? '';
  const text = decodeText(await readBytes(response, maxBytes), charsetOf(type));
  if (text === '') return null;
  return /\bjson\b/i.test(type) ? (parseJson(text)?.value ?? text) : text;
};

/** Passes refusals of the guards on; everything else is the time limit or the network. */
const sendFailure = (error: unknown, { context, redact }: WebhookDeps): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  if (context.signal.aborted) return new ToolFailure('TIMEOUT', 'The workflow took too long.');
  return new ToolFailure('NETWORK', `n8n cannot be reached: ${redact(reasonOf(error))}`);
};

const headersOf = async (
  { requestId, idempotencyKey }: WebhookRequest,
  { own, headers, context }: WebhookDeps,
): Promise<Record<string, string>> => ({
  ...(await resolveSecrets(headers, (key) => context.secret(key))),
  'content-type': 'application/json',
  ...(own.webhookSecret !== undefined && {
    'x-webhook-secret': await context.secret(own.webhookSecret),
  }),
  'x-request-id': requestId,
  'x-idempotency-key': idempotencyKey,
});

/** Returns the address of a webhook. */
export const webhookUrl = ({ baseUrl, testWebhooks }: N8nSettings, path: string): string =>
  `${withoutSlash(baseUrl)}/${testWebhooks ? 'webhook-test' : 'webhook'}/${path}`;

/** Fails with the code of the status, TIMEOUT, NETWORK, or what a guard refused. */
export const callWebhook = async (
  request: WebhookRequest,
  deps: WebhookDeps,
): Promise<WebhookAnswer> => {
  const { own, context, runtime, maxOutputBytes } = deps;
  const { input, metadata, requestId, webhookPath } = request;
  // Not overwritten: an input with this field is refused before.
  const body = JSON.stringify({ ...input, [METADATA]: { requestId, ...metadata } });
  const headers = await headersOf(request, deps);
  const startedAt = runtime.elapsed();
  try {
    const response = await context.fetch(webhookUrl(own, webhookPath), {
      // A redirect would carry the secret elsewhere.
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: context.signal,
    });
    if (!response.ok) throw await failureOf(response, deps);
    const output = await outputIn(response, maxOutputBytes);
    const durationMs = Math.round(runtime.elapsed() - startedAt);
    return { output, ...executionIdOf(response.headers), durationMs };
  } catch (error) {
    throw sendFailure(error, deps);
  }
};

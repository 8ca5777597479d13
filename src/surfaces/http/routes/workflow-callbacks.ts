/**
 * Takes the answers of workflows. The signature is checked on the raw bytes, before anything parses them,
 * and counts once; the record says whose run it is, never the request.
 */
import { z } from 'zod';
import type { InvocationCompletion } from '../../../contract/invocation.ts';
import { parseStrictJson } from '../../../kit/text/strict-json.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { verifyCallback } from '../auth/callback-signature.ts';
import { useOnce } from '../auth/use-once.ts';
import { notFound, notSignedIn, refusal } from '../error-reply.ts';
import type { WorkflowCallbacks } from '../http-deps.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Replied, type Route } from '../route.ts';

const MAX_BODY_BYTES = 1_000_000;
const MAX_ERROR = 10_000;

const completion = z.strictObject({
  invocationId: z.string().min(1).max(100),
  success: z.boolean(),
  output: z.unknown().optional(),
  error: z.string().max(MAX_ERROR).optional(),
});

const notVerified = (): Replied => ({
  answer: refusal(
    notSignedIn('The callback does not carry a good signature of this time.', {
      suggestion:
        'Sign "<timestamp>.<body>" with the webhook secret; send X-Toolcrib-Timestamp and X-Toolcrib-Signature.',
    }),
  ),
});

const replayed = (): Replied => ({
  answer: refusal({ code: 'CONFLICT', message: 'This callback was sent before.' }),
});

const tooLarge = (): Replied => ({
  answer: refusal({
    code: 'VALIDATION_ERROR',
    status: 413,
    message: 'The callback is too large.',
    extras: { suggestions: ['Answer with less, or with the address of the result.'] },
  }),
});

const malformed = (): Replied => ({
  answer: refusal({
    code: 'VALIDATION_ERROR',
    message: 'The callback has to hold invocationId, success and perhaps output or error.',
  }),
});

const completionIn = (body: Uint8Array): InvocationCompletion | undefined => {
  const json = parseStrictJson(Buffer.from(body).toString('utf8'));
  const parsed = 'value' in json ? completion.safeParse(json.value) : undefined;
  return parsed?.success ? (parsed.data as InvocationCompletion) : undefined;
};

interface Callback {
  readonly callbacks: WorkflowCallbacks;
  readonly request: HttpRequest;
  readonly source: string;
}

const take = async (
  { callbacks, request, source }: Callback,
  { crib, deps, bodyBytes }: HttpServices,
): Promise<Replied> => {
  const timestamp = request.header('x-toolcrib-timestamp');
  const signature = request.header('x-toolcrib-signature');
  if (timestamp === undefined || signature === undefined) return notVerified();
  const secret = await callbacks.secret(source);
  if (secret === undefined) return notVerified();
  const body = await request.bytes(Math.min(bodyBytes, MAX_BODY_BYTES));
  if (body === undefined) return tooLarge();
  const now = deps.runtime.now();
  const verified = verifyCallback({ timestamp, signature, body }, secret, now);
  if (!verified) return notVerified();
  const answer = completionIn(body);
  if (!answer) return malformed();
  const used = { sender: `n8n:${source}`, id: `${timestamp}:${signature.toLowerCase()}` };
  const { replays } = await crib.store();
  // Written first, and the record takes one answer only: a request whose writing failed may come again.
  const outcome = await callbacks.complete(source, answer);
  if (!(await useOnce(replays, { ...used, ...verified }, now))) return replayed();
  if (outcome === 'unknown') throw notFound('The run of a workflow');
  return { body: { invocationId: answer.invocationId, state: outcome } };
};

const callback = defineRoute({
  method: 'post',
  path: '/callbacks/n8n/:source',
  role: 'public',
  tag: 'workflows',
  summary: 'The answer of an n8n workflow that was started by a call; its signature is checked',
  input: { params: z.object({ source: z.string().min(1).max(64) }) },
  response: z.object({ invocationId: z.string(), state: z.enum(['completed', 'ignored']) }),
  handle: async ({ services, request, params }): Promise<Replied> => {
    const { workflowCallbacks: callbacks } = services.deps;
    if (!callbacks) throw notFound('The address');
    return take({ callbacks, request, source: params.source }, services);
  },
});

export const CALLBACK_ROUTES: readonly Route[] = [callback];

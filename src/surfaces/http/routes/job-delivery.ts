/**
 * Takes jobs that QStash delivers. The signature is checked on the raw bytes, before anything parses
 * them; the seal inside says whose job it is. The status tells QStash whether to try again.
 */
import { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import { type JobEnd, MAX_JOB_BYTES, type NewJob } from '../../../contract/queue.ts';
import { parseStrictJson } from '../../../kit/text/strict-json.ts';
import type { Answer } from '../../door/answer.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { verifyQstash } from '../auth/qstash-signature.ts';
import { useOnce } from '../auth/use-once.ts';
import { notFound, notSignedIn, refusal } from '../error-reply.ts';
import type { JobDelivery } from '../http-deps.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Replied, type Route } from '../route.ts';

/** With this status and this header QStash does not try again. */
const FINAL_STATUS = 489;
const FINAL = { 'upstash-nonretryable-error': 'true' };
const MAX_ATTEMPTS = 1_000;

const name = z.string().min(1).max(500);
const moment = z.number().min(0);

const caller = z.looseObject({
  userId: name,
  agentId: name,
  sessionId: name,
  loopId: name,
  roles: z.array(z.string()),
  permissions: z.array(z.string()),
  isolation: z.enum(['none', 'basic', 'strict', 'paranoid']),
});

/** A job as it was published. Only what the seal covers counts. */
const envelope = z.strictObject({
  id: name,
  queue: name,
  type: name,
  payload: z.unknown(),
  caller,
  seal: name,
  priority: moment,
  retries: moment,
  runAt: moment,
  createdAt: moment,
  backoff: z.strictObject({ initialMs: moment, factor: z.number(), maxMs: moment }),
  dailyUsd: moment.optional(),
  idempotencyKey: name.optional(),
  traceId: name.optional(),
  trace: z
    .strictObject({ traceparent: name, tracestate: z.string().max(512).optional() })
    .optional(),
  scheduleId: name.optional(),
  cadence: z.strictObject({ cron: name, timeZone: name.optional(), since: moment }).optional(),
});

const notVerified = (): Replied => ({
  answer: refusal(
    notSignedIn('The request does not carry a good signature of QStash.', {
      suggestion: 'Set both signing keys and the public address as QStash knows them.',
    }),
  ),
});

const final = (code: 'VALIDATION_ERROR' | 'SECURITY_VIOLATION', message: string): Replied => ({
  answer: refusal({ code, message, status: FINAL_STATUS, headers: FINAL }),
});

/** Reads the job; `undefined` when the body is no job, or its type is not that of the address. */
const jobIn = (body: Uint8Array, type: string): NewJob | undefined => {
  const json = parseStrictJson(Buffer.from(body).toString('utf8'));
  const parsed = 'value' in json ? envelope.safeParse(json.value) : undefined;
  return parsed?.success && parsed.data.type === type ? (parsed.data as NewJob) : undefined;
};

const attemptsIn = (request: HttpRequest): number => {
  const retried = Number(request.header('upstash-retried') ?? 0);
  return Number.isInteger(retried) && retried >= 0 ? Math.min(retried, MAX_ATTEMPTS) + 1 : 1;
};

const answerFor = ({ id }: NewJob, end: JobEnd): Replied => {
  if (end.state === 'completed') return { body: { jobId: id, state: 'completed' } };
  if (end.state === 'postponed') return { status: 202, body: { jobId: id, state: 'postponed' } };
  const { code, message, suggestions } = end.error;
  const extras = { suggestions, ...(end.retryAfterMs && { retryAfterMs: end.retryAfterMs }) };
  return {
    answer: end.retryable
      ? refusal({ code, message, extras, status: 500 })
      : refusal({ code, message, extras, status: FINAL_STATUS, headers: FINAL }),
  };
};

interface Delivery {
  readonly delivery: JobDelivery;
  readonly request: HttpRequest;
  readonly type: string;
}

const take = async (
  { delivery, request, type }: Delivery,
  services: HttpServices,
): Promise<Replied> => {
  const signature = request.header('upstash-signature');
  const keys = signature === undefined ? undefined : await delivery.keys();
  if (signature === undefined || keys === undefined) return notVerified();
  // Whatever other bodies may have: a job that was published has to be taken.
  const body = await request.bytes(MAX_JOB_BYTES);
  if (body === undefined) return final('VALIDATION_ERROR', 'The job is too large.');
  const signed = { signature, body, url: delivery.urlFor(type) };
  const verified = await verifyQstash(signed, keys, services.deps.runtime.now());
  if (!verified) return notVerified();
  const job = jobIn(body, type);
  if (!job) return final('VALIDATION_ERROR', 'The body is no job of this type with a seal.');
  const { replays } = await services.crib.store();
  const used = { sender: 'qstash', id: verified.jti, expiresAt: verified.expiresAt };
  if (!(await useOnce(replays, used, services.deps.runtime.now()))) return notVerified();
  return answerFor(job, await delivery.run(job, attemptsIn(request)));
};

const deliver = defineRoute({
  method: 'post',
  path: '/jobs/:type',
  role: 'public',
  tag: 'jobs',
  summary: 'A job that QStash delivers; its signature is checked',
  input: { params: z.object({ type: z.string().min(1).max(200) }) },
  response: z.object({ jobId: z.string(), state: z.string() }),
  also: {
    202: 'The job waits for something and comes again',
    500: 'The attempt failed and is to be tried again',
    489: 'The job failed for good',
  },
  handle: async ({ services, request, params }): Promise<Replied> => {
    const { jobDelivery: delivery } = services.deps;
    if (!delivery) throw notFound('The address');
    try {
      return await take({ delivery, request, type: params.type }, services);
    } catch (error) {
      if (error instanceof ToolFailure && error.code === 'CANCELLED') throw error;
      const message = 'The job could not be run now.';
      services.deps.runtime.log.error(message, { cause: String(error) });
      const answer: Answer = refusal({ code: 'INTERNAL', message, status: 500 });
      return { answer };
    }
  },
});

export const DELIVERY_ROUTES: readonly Route[] = [deliver];

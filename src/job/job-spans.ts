/**
 * The spans of a job, named as the OpenTelemetry conventions for messaging have it: one where it is added, and
 * one for each attempt, in whichever process. The job carries the trace from the one to the others.
 */
import type { Job, JobEnd, NewJob } from '../contract/queue.ts';
import type { Span, SpanAttributes, Telemetry, TraceContext } from '../contract/telemetry.ts';

const aboutJob = ({ id, queue, type, caller }: Omit<NewJob, 'runAt'>): SpanAttributes => ({
  'messaging.system': 'toolcrib',
  'messaging.destination.name': queue,
  'messaging.message.id': id,
  'user.id': caller.userId,
  'toolcrib.job.type': type,
});

/** Adds a job inside a span, and hands it the trace that its attempts belong to. */
export const inEnqueueSpan = async <R>(
  job: NewJob,
  telemetry: Telemetry,
  add: (trace: TraceContext) => Promise<R>,
): Promise<R> => {
  const operation = {
    'messaging.operation.name': 'enqueue',
    'messaging.operation.type': 'send',
  };
  const span = telemetry.start(`enqueue ${job.queue}`, {
    kind: 'producer',
    parent: job.trace,
    attributes: { ...operation, ...aboutJob(job) },
  });
  try {
    const added = await span.run(() => add(span.trace));
    span.end();
    return added;
  } catch (error) {
    span.end({}, { type: 'INTERNAL' });
    throw error;
  }
};

const startAttemptSpan = (job: Job, telemetry: Telemetry): Span =>
  telemetry.start(`process ${job.queue}`, {
    kind: 'consumer',
    parent: job.trace,
    attributes: {
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      ...aboutJob(job),
      'toolcrib.job.attempt': job.attempts,
    },
  });

/** Makes one attempt at a job inside a span. A job that waits, for a person for instance, has not failed. */
export const inAttemptSpan = async (
  job: Job,
  telemetry: Telemetry,
  attempt: (trace: TraceContext) => Promise<JobEnd>,
): Promise<JobEnd> => {
  const span = startAttemptSpan(job, telemetry);
  const end = await span.run(() => attempt(span.trace));
  const error = end.state === 'failed' ? { type: end.error.code } : undefined;
  span.end({ 'toolcrib.job.end': end.state }, error);
  return end;
};

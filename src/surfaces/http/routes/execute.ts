/** Calling tools. A client that disconnects cancels its call. */
import type { z } from 'zod';
import type { CallAs } from '../../../contract/call-options.ts';
import { ERRORS, ToolFailure } from '../../../contract/errors.ts';
import type { ProcessRequest } from '../../../contract/process-request.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { Telemetry } from '../../../contract/telemetry.ts';
import type { Writable } from '../../../kit/data/writable.ts';
import { readTrace } from '../../../kit/http/trace-context.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { callerOfIdentity } from '../auth/identity.ts';
import { inRequestSpan } from '../request-span.ts';
import { defineRoute, type MemberCall, type Route } from '../route.ts';
import {
  executeBody,
  processBody,
  processResultSchema,
  toolResultSchema,
} from '../schemas/call.ts';
import { nameParams } from '../schemas/lists.ts';

export const statusOf = ({ success, status, error }: ToolResult): number => {
  if (success) return 200;
  if (status === 'pending') return 202;
  return error ? ERRORS[error.code].http : 500;
};

/** Reads the idempotency key, which header and body may both name if they agree. */
export const keyOf = (request: HttpRequest, inBody: string | undefined): string | undefined => {
  const inHeader = request.header('idempotency-key');
  if (inHeader === undefined || inBody === undefined || inHeader === inBody) {
    return inHeader ?? inBody;
  }
  throw new ToolFailure('VALIDATION_ERROR', 'The header and the body name different keys.', {
    issues: [{ path: ['idempotencyKey'], message: 'Differs from the header Idempotency-Key.' }],
  });
};

/** Chooses the trace id of a call: the client's, else a new one, else the id of the request. */
export const traceOf = (
  request: HttpRequest,
  requestId: string,
  telemetry: Telemetry | undefined,
): Pick<CallAs, 'trace' | 'traceId'> => {
  const trace = readTrace(request.header('traceparent'), request.header('tracestate'));
  if (trace) return { trace };
  return telemetry ? {} : { traceId: requestId };
};

/** Makes the options of the call. Absent fields are left out, so that the defaults of the pipeline apply. */
const callAs = (
  { identity, services, request, requestId }: MemberCall,
  body: z.output<typeof executeBody>,
): CallAs => {
  const { version, dryRun, approvalId, timeoutMs, audience } = body;
  const idempotencyKey = keyOf(request, body.idempotencyKey);
  const as: Writable<CallAs> = callerOfIdentity(identity, services.crib.tools, body);
  as.signal = request.signal();
  if (version !== undefined) as.version = version;
  if (dryRun !== undefined) as.dryRun = dryRun;
  if (approvalId !== undefined) as.approvalId = approvalId;
  if (timeoutMs !== undefined) as.timeoutMs = timeoutMs;
  if (audience !== undefined) as.audience = audience;
  if (idempotencyKey !== undefined) as.idempotencyKey = idempotencyKey;
  return Object.assign(as, traceOf(request, requestId, services.deps.runtime.telemetry));
};

const replyOf = (result: ToolResult) => ({ status: statusOf(result), body: result });

const execute = defineRoute({
  method: 'post',
  path: '/v1/tools/:name/execute',
  role: 'agent',
  tag: 'calls',
  summary: 'Call a tool; 202 while a person has to approve it first',
  input: { params: nameParams, body: executeBody },
  response: toolResultSchema,
  also: {
    202: 'A person has to approve the call first.',
    424: 'Something that the tool needs is missing: a credential of its own, a program, a package.',
  },
  handle: (call) => {
    const { services, params, body } = call;
    const as = callAs(call, body);
    const run = (own: CallAs) => services.crib.execute(params.name, body.input, own).then(replyOf);
    const { telemetry } = services.deps.runtime;
    return telemetry ? inRequestSpan(telemetry, '/v1/tools/:name/execute', { as, run }) : run(as);
  },
});

const process = defineRoute({
  method: 'post',
  path: '/v1/process',
  role: 'agent',
  tag: 'calls',
  summary: 'Several calls at once: a chain, a graph, or a check without running',
  input: { body: processBody },
  response: processResultSchema,
  handle: async ({ services, identity, body, request, requestId }) => {
    const { telemetry } = services.deps.runtime;
    const caller = callerOfIdentity(identity, services.crib.tools);
    const as = { ...caller, signal: request.signal(), ...traceOf(request, requestId, telemetry) };
    const run = async (own: CallAs) => ({
      status: 200,
      body: await services.crib.process(body as ProcessRequest, own),
    });
    return telemetry ? inRequestSpan(telemetry, '/v1/process', { as, run }) : run(as);
  },
});

export const CALL_ROUTES: readonly Route[] = [execute, process];

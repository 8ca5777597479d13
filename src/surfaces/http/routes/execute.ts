/** Calling tools. A client that disconnects cancels its call. */
import type { z } from 'zod';
import type { CallAs } from '../../../contract/call-options.ts';
import type { ProcessRequest } from '../../../contract/crib.ts';
import { ERRORS, ToolFailure } from '../../../contract/errors.ts';
import type { ToolResult } from '../../../contract/result.ts';
import { callerOfIdentity, type Identity } from '../auth/identity.ts';
import type { HttpRequest } from '../http-request.ts';
import type { HttpSite } from '../http-site.ts';
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

/** By the tool's own name, so that an alias opens nothing. A tool nobody knows is on no list. */
const assertAllowed = ({ policy }: Identity, { crib }: HttpSite, name: string): void => {
  if (!policy?.tools) return;
  const own = crib.tools.get(name)?.tool.name;
  if (own !== undefined && policy.tools.includes(own)) return;
  throw new ToolFailure('PERMISSION_DENIED', 'This token may not call that tool.', {
    suggestions: ['Use a tool on the list of the token, or another token.'],
  });
};

/** The header and the body may both name the key, but only the same one. */
const keyOf = (request: HttpRequest, inBody: string | undefined): string | undefined => {
  const inHeader = request.header('idempotency-key');
  if (inHeader === undefined || inBody === undefined || inHeader === inBody) {
    return inHeader ?? inBody;
  }
  throw new ToolFailure('VALIDATION_ERROR', 'The header and the body name different keys.', {
    issues: [{ path: ['idempotencyKey'], message: 'Differs from the header Idempotency-Key.' }],
  });
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** As whom and how the call is made. What was not said is left out: the pipeline has its own words. */
const callAs = (
  { identity, site, request }: MemberCall,
  body: z.output<typeof executeBody>,
): CallAs => {
  const { version, dryRun, approvalId, timeoutMs, audience } = body;
  const idempotencyKey = keyOf(request, body.idempotencyKey);
  const as: Writable<CallAs> = callerOfIdentity(identity, site.crib.tools, body);
  as.signal = request.signal();
  if (version !== undefined) as.version = version;
  if (dryRun !== undefined) as.dryRun = dryRun;
  if (approvalId !== undefined) as.approvalId = approvalId;
  if (timeoutMs !== undefined) as.timeoutMs = timeoutMs;
  if (audience !== undefined) as.audience = audience;
  if (idempotencyKey !== undefined) as.idempotencyKey = idempotencyKey;
  return as;
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
    const { site, identity, body } = call;
    const { name } = call.params;
    assertAllowed(identity, site, name);
    const as = callAs(call, body);
    const run = () => site.crib.execute(name, body.input, as);
    return site.budgets.within(identity, [name], run).then(replyOf);
  },
});

const toolsIn = (request: ProcessRequest): readonly string[] => {
  if (request.operation === 'discover') return [];
  if (request.operation === 'execute_single') return [request.tool];
  return request.calls.map(({ tool }) => tool);
};

const process = defineRoute({
  method: 'post',
  path: '/v1/process',
  role: 'agent',
  tag: 'calls',
  summary: 'Several calls at once: a chain, a graph, or a check without running',
  input: { body: processBody },
  response: processResultSchema,
  handle: async ({ site, identity, body, request: asked }) => {
    const request = body as ProcessRequest;
    const tools = toolsIn(request);
    for (const tool of tools) assertAllowed(identity, site, tool);
    const caller = callerOfIdentity(identity, site.crib.tools);
    const run = () => site.crib.process(request, { ...caller, signal: asked.signal() });
    return { body: await site.budgets.within(identity, tools, run) };
  },
});

export const CALL_ROUTES: readonly Route[] = [execute, process];

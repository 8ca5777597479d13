/** Calling tools. A client that disconnects cancels its call. */
import type { ProcessRequest } from '../../../contract/crib.ts';
import { ERRORS, ToolFailure } from '../../../contract/errors.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { HttpSite } from '../http-site.ts';
import { callerOfIdentity, type Identity } from '../identity.ts';
import { defineRoute, type Route } from '../route.ts';
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
const keyOf = (request: Request, inBody: string | undefined): string | undefined => {
  const inHeader = request.headers.get('idempotency-key') ?? undefined;
  if (inHeader === undefined || inBody === undefined || inHeader === inBody) {
    return inHeader ?? inBody;
  }
  throw new ToolFailure('VALIDATION_ERROR', 'The header and the body name different keys.', {
    issues: [{ path: ['idempotencyKey'], message: 'Differs from the header Idempotency-Key.' }],
  });
};

const given = <T extends object>(options: T) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

const execute = defineRoute({
  method: 'post',
  path: '/v1/tools/:name/execute',
  role: 'agent',
  tag: 'calls',
  summary: 'Call a tool; 202 while a person has to approve it first',
  input: { params: nameParams, body: executeBody },
  response: toolResultSchema,
  handle: async ({ site, identity, request, client, params: { name }, body }) => {
    assertAllowed(identity, site, name);
    const { input, sessionId, agentId, idempotencyKey, ...options } = body;
    const as = {
      ...callerOfIdentity(identity, site.crib.tools, { sessionId, agentId }),
      ...given({ ...options, idempotencyKey: keyOf(request, idempotencyKey) }),
      signal: client.signal(),
    };
    const run = () => site.crib.execute(name, input, as);
    const result = await site.budgets.within(identity, [name], run);
    return { status: statusOf(result), body: result };
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
  handle: async ({ site, identity, body }) => {
    const request = body as ProcessRequest;
    const tools = toolsIn(request);
    for (const tool of tools) assertAllowed(identity, site, tool);
    const caller = callerOfIdentity(identity, site.crib.tools);
    const run = () => site.crib.process(request, caller);
    return { body: await site.budgets.within(identity, tools, run) };
  },
});

export const CALL_ROUTES: readonly Route[] = [execute, process];

/** Routes that other parts answer, behind the same checks: events, metrics and MCP. */
import type { Answer } from '../../door/answer.ts';
import { endableResponse } from '../../door/endable-response.ts';
import { continuingRequest, DRAINING } from '../draining.ts';
import { notFound, refusal } from '../error-reply.ts';
import { defineRoute, type MemberCall, type Replied, type Route } from '../route.ts';

/** Ends the events of an answer when its client may no longer read them. */
const whileAllowed = (answer: Answer, { services, identity }: MemberCall): Replied => {
  const hold = (end: () => void) => services.streams.hold(identity, end);
  if (answer instanceof Response) return endableResponse(answer, hold);
  if ('stream' in answer) answer.stream.holdBy(hold);
  return { answer };
};

const events = defineRoute({
  method: 'get',
  path: '/v1/events',
  role: 'member',
  tag: 'events',
  summary: 'What happens, as server-sent events; Last-Event-ID resumes',
  response: 'text/event-stream',
  handle: async (call) => {
    const { services, request, identity } = call;
    if (!services.deps.events) throw notFound('The stream');
    return whileAllowed(await services.deps.events(request, identity), call);
  },
});

const metrics = defineRoute({
  method: 'get',
  path: '/metrics',
  role: 'viewer',
  isOpen: ({ openMetrics = false }) => openMetrics,
  tag: 'health',
  summary: 'Metrics for Prometheus',
  response: 'text/plain',
  handle: async ({ services, request }) => {
    if (!services.deps.metrics) throw notFound('The page');
    return services.deps.metrics(request.web());
  },
});

/**
 * Returns the request to pass on; `undefined` for one that would start a call while the server shuts
 * down.
 */
const acceptedRequest = async ({ services, request }: MemberCall) =>
  services.isDraining() && request.method === 'POST'
    ? continuingRequest(request, services.bodyBytes)
    : request;

const mcp = (method: 'get' | 'post' | 'delete'): Route =>
  defineRoute({
    method,
    path: '/mcp',
    role: 'agent',
    tag: 'mcp',
    summary: 'The MCP endpoint',
    response: 'application/json',
    handle: async (call) => {
      const { services, identity } = call;
      const request = await acceptedRequest(call);
      if (!request) return { answer: refusal(DRAINING) };
      if (!services.deps.mcp) throw notFound('The endpoint');
      return whileAllowed(await services.deps.mcp(request, identity), call);
    },
  });

export const STREAM_ROUTES: readonly Route[] = [
  events,
  metrics,
  mcp('get'),
  mcp('post'),
  mcp('delete'),
];

/** What others serve behind our guards: events, metrics and MCP. */
import { endableResponse } from '../endable-response.ts';
import { notFound } from '../error-reply.ts';
import { defineRoute, type Route } from '../route.ts';

const events = defineRoute({
  method: 'get',
  path: '/v1/events',
  role: 'member',
  tag: 'events',
  summary: 'What happens, as server-sent events; Last-Event-ID resumes',
  response: 'text/event-stream',
  handle: async ({ site, request, identity }) => {
    if (!site.deps.events) throw notFound('The stream');
    return site.deps.events(request.web(), identity, (end) => site.streams.hold(identity, end));
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
  handle: async ({ site, request }) => {
    if (!site.deps.metrics) throw notFound('The page');
    return site.deps.metrics(request.web());
  },
});

const mcp = (method: 'get' | 'post' | 'delete'): Route =>
  defineRoute({
    method,
    path: '/mcp',
    role: 'agent',
    tag: 'mcp',
    summary: 'The MCP endpoint',
    response: 'application/json',
    handle: async ({ site, request, identity }) => {
      if (!site.deps.mcp) throw notFound('The endpoint');
      const answer = await site.deps.mcp(request, identity);
      if (!(answer instanceof Response)) return { written: answer };
      return endableResponse(answer, (end) => site.streams.hold(identity, end));
    },
  });

export const STREAM_ROUTES: readonly Route[] = [
  events,
  metrics,
  mcp('get'),
  mcp('post'),
  mcp('delete'),
];

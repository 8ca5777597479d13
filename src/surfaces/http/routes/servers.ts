/** The MCP servers behind the crib. */
import { z } from 'zod';
import { notFound } from '../error-reply.ts';
import type { HttpServices } from '../http-services.ts';
import { pageOf } from '../page-of.ts';
import { defineRoute, type Route } from '../route.ts';
import { listOf, nameParams, pageQuery } from '../schemas/lists.ts';

const serverSchema = z.looseObject({
  name: z.string(),
  transport: z.string(),
  state: z.string(),
  tools: z.number(),
  resources: z.number(),
  prompts: z.number(),
  restarts: z.number(),
});

const assertKnown = (name: string, { crib }: HttpServices): void => {
  if (!crib.servers.list().some((server) => server.name === name)) throw notFound('The server');
};

const list = defineRoute({
  method: 'get',
  path: '/v1/servers',
  role: 'viewer',
  tag: 'servers',
  summary: 'The MCP servers and how they are',
  input: { query: z.strictObject(pageQuery) },
  response: listOf(serverSchema),
  handle: ({ services, query }) => ({
    body: pageOf(services.crib.servers.list(), { keyOf: ({ name }) => name }, query),
  }),
});

const logs = defineRoute({
  method: 'get',
  path: '/v1/servers/:name/logs',
  role: 'viewer',
  tag: 'servers',
  summary: 'The last lines a server wrote, redacted',
  input: { params: nameParams },
  response: z.object({ lines: z.array(z.string()) }),
  handle: ({ services, params }) => {
    assertKnown(params.name, services);
    return { body: { lines: services.crib.servers.logs(params.name) } };
  },
});

const action = (verb: 'restart' | 'test', summary: string): Route =>
  defineRoute({
    method: 'post',
    path: `/v1/servers/:name/${verb}`,
    role: 'operator',
    tag: 'servers',
    summary,
    input: { params: nameParams },
    response: serverSchema,
    handle: async ({ services, params }) => {
      assertKnown(params.name, services);
      return { body: await services.crib.servers[verb](params.name) };
    },
  });

export const SERVER_ROUTES: readonly Route[] = [
  list,
  logs,
  action('restart', 'Start a server anew'),
  action('test', 'Ping a server, starting it if need be'),
];

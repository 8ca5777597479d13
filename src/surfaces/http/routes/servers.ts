/** The MCP servers behind the crib. */
import { z } from 'zod';
import { notFound } from '../error-reply.ts';
import type { HttpSite } from '../http-site.ts';
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

const assertKnown = (name: string, { crib }: HttpSite): void => {
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
  handle: ({ site, query }) => ({
    body: pageOf(site.crib.servers.list(), { keyOf: ({ name }) => name }, query),
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
  handle: ({ site, params }) => {
    assertKnown(params.name, site);
    return { body: { lines: site.crib.servers.logs(params.name) } };
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
    handle: async ({ site, params }) => {
      assertKnown(params.name, site);
      return { body: await site.crib.servers[verb](params.name) };
    },
  });

export const SERVER_ROUTES: readonly Route[] = [
  list,
  logs,
  action('restart', 'Start a server anew'),
  action('test', 'Ping a server, starting it if need be'),
];

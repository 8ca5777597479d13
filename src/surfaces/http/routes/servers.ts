/**
 * The MCP servers behind the crib, and those in the configuration: adding, removing, setting a tier,
 * importing from other programs. A server is a program that this user's account will run, so only admins
 * change them, and only where the HTTP server is reached from this machine alone.
 */
import { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import { pageOf } from '../../door/page-of.ts';
import { notFound } from '../error-reply.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Route } from '../route.ts';
import { configuredName, listOf, nameParams, pageQuery } from '../schemas/lists.ts';
import type { ServerEditor } from '../server-editor.ts';

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

const MAX_TEXT = 4096;
const MAX_ITEMS = 200;

const tier = z.enum(['read_only', 'write', 'execute', 'external_api']);
const text = z.string().max(MAX_TEXT);

const editorOf = ({ deps }: HttpServices): ServerEditor => {
  if (deps.serverEditor) return deps.serverEditor;
  throw new ToolFailure('PERMISSION_DENIED', 'Servers cannot be changed over this connection.', {
    suggestions: ['Use the command line on the machine itself: toolcrib servers add'],
  });
};

const changeSchema = z.object({ servers: z.array(z.string()), notes: z.array(z.string()) });

const configured = defineRoute({
  method: 'get',
  path: '/v1/servers/config',
  role: 'admin',
  tag: 'servers',
  summary: 'The MCP servers as the configuration has them, with changes that wait for a start',
  response: z.object({
    /** False where they can be changed on the machine itself only. */
    editable: z.boolean(),
    items: z.array(
      z.object({
        name: z.string(),
        reach: z.string(),
        tier: tier.optional(),
        isOfProject: z.boolean(),
        pending: z.enum(['added', 'changed', 'removed']).optional(),
      }),
    ),
  }),
  handle: async ({ services: { deps } }) => ({
    body: {
      editable: deps.serverEditor !== undefined,
      items: (await deps.serverEditor?.list()) ?? [],
    },
  }),
});

const addBody = z.strictObject({
  name: configuredName,
  command: text.min(1).optional(),
  args: z.array(text).max(MAX_ITEMS).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), text).optional(),
  url: text.min(1).optional(),
  transport: z.enum(['stdio', 'http', 'sse', 'websocket']).optional(),
  tier: tier.optional(),
});

const add = defineRoute({
  method: 'post',
  path: '/v1/servers',
  role: 'admin',
  tag: 'servers',
  summary: 'Write an MCP server into the configuration; it is started at the next start',
  input: { body: addBody },
  response: changeSchema,
  status: 201,
  handle: async ({ services, body, identity }) => ({
    status: 201,
    body: await editorOf(services).add(body, identity.userId),
  }),
});

const remove = defineRoute({
  method: 'delete',
  path: '/v1/servers/:name',
  role: 'admin',
  tag: 'servers',
  summary: 'Take an MCP server out of the configuration',
  input: { params: nameParams },
  response: changeSchema,
  handle: async ({ services, params, identity }) => ({
    body: await editorOf(services).remove(params.name, identity.userId),
  }),
});

const setTier = defineRoute({
  method: 'patch',
  path: '/v1/servers/:name',
  role: 'admin',
  tag: 'servers',
  summary: 'Say what the tools of an MCP server can do at worst',
  input: { params: nameParams, body: z.strictObject({ tier }) },
  response: changeSchema,
  handle: async ({ services, params, body, identity }) => ({
    body: await editorOf(services).setTier(params.name, body.tier, identity.userId),
  }),
});

const offers = defineRoute({
  method: 'get',
  path: '/v1/servers/import',
  role: 'admin',
  tag: 'servers',
  summary: 'The MCP servers of other programs of this user, as they would be taken in',
  response: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        client: z.string().optional(),
        file: z.string(),
        outcome: z.enum(['new', 'same', 'refused']),
        reason: z.string().optional(),
        reach: z.string().optional(),
        secrets: z.array(z.string()),
        notes: z.array(z.string()),
        digest: z.string(),
      }),
    ),
  }),
  handle: async ({ services }) => ({ body: { items: await editorOf(services).offers() } }),
});

const takeBody = z.strictObject({
  servers: z
    .array(z.strictObject({ name: configuredName, digest: z.string().min(1).max(128) }))
    .min(1)
    .max(MAX_ITEMS),
});

const take = defineRoute({
  method: 'post',
  path: '/v1/servers/import',
  role: 'admin',
  tag: 'servers',
  summary: 'Take over MCP servers of other programs, exactly as they were shown',
  input: { body: takeBody },
  response: changeSchema,
  handle: async ({ services, body, identity }) => ({
    body: await editorOf(services).take(body.servers, identity.userId),
  }),
});

export const SERVER_ROUTES: readonly Route[] = [
  list,
  logs,
  action('restart', 'Start a server anew'),
  action('test', 'Ping a server, starting it if need be'),
  configured,
  add,
  remove,
  setTier,
  offers,
  take,
];

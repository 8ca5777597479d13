/**
 * The sources of tools beside MCP servers: their state, reading them again, and those in the
 * configuration. A source names hosts that tools reach with the user's credentials, so only admins add
 * and remove them, and only where the HTTP server is reached from this machine alone.
 */
import { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import { pageOf } from '../../door/page-of.ts';
import { notFound } from '../error-reply.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Route } from '../route.ts';
import { configuredName, listOf, nameParams, pageQuery } from '../schemas/lists.ts';
import type { SourceEditor } from '../source-editor.ts';

const refusedSchema = z.array(z.object({ name: z.string(), reason: z.string() }));

const sourceSchema = z.looseObject({
  name: z.string(),
  kind: z.string(),
  state: z.string(),
  location: z.string(),
  tools: z.number(),
  refused: refusedSchema,
});

const assertKnown = (name: string, { crib }: HttpServices): void => {
  if (!crib.sources.list().some((source) => source.name === name)) throw notFound('The source');
};

const list = defineRoute({
  method: 'get',
  path: '/v1/sources',
  role: 'viewer',
  tag: 'sources',
  summary: 'The sources of tools beside MCP servers, and how they are',
  input: { query: z.strictObject(pageQuery) },
  response: listOf(sourceSchema),
  handle: ({ services, query }) => ({
    body: pageOf(services.crib.sources.list(), { keyOf: ({ name }) => name }, query),
  }),
});

const refresh = defineRoute({
  method: 'post',
  path: '/v1/sources/:name/refresh',
  role: 'operator',
  tag: 'sources',
  summary: 'Read the definitions of a source again, and say what changed',
  input: { params: nameParams },
  response: z.object({
    status: sourceSchema,
    change: z.object({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
    }),
  }),
  handle: async ({ services, params }) => {
    assertKnown(params.name, services);
    return { body: await services.crib.sources.refresh(params.name) };
  },
});

const MAX_ADDRESS = 4096;

const editorOf = ({ deps }: HttpServices): SourceEditor => {
  if (deps.sourceEditor) return deps.sourceEditor;
  throw new ToolFailure('PERMISSION_DENIED', 'Sources cannot be changed over this connection.', {
    suggestions: ['Use the command line on the machine itself: toolcrib add'],
  });
};

const configured = defineRoute({
  method: 'get',
  path: '/v1/sources/config',
  role: 'admin',
  tag: 'sources',
  summary: 'The sources as the configuration has them, and the kinds that can be added',
  response: z.object({
    /** False where they can be changed on the machine itself only. */
    editable: z.boolean(),
    kinds: z.array(z.object({ kind: z.string(), summary: z.string() })),
    items: z.array(z.object({ name: z.string(), kind: z.string(), isOfProject: z.boolean() })),
  }),
  handle: async ({ services: { deps } }) => ({
    body: {
      editable: deps.sourceEditor !== undefined,
      kinds: deps.sourceEditor?.kinds() ?? [],
      items: (await deps.sourceEditor?.list()) ?? [],
    },
  }),
});

const newSource = z.strictObject({
  kind: z.string().min(1).max(40),
  address: z.string().min(1).max(MAX_ADDRESS),
  name: configuredName.optional(),
});

const preview = defineRoute({
  method: 'post',
  path: '/v1/sources/preview',
  role: 'admin',
  tag: 'sources',
  summary: 'What a source would add: its tools, what they reach, what is refused; changes nothing',
  input: { body: newSource },
  response: z.object({
    name: z.string(),
    kind: z.string(),
    location: z.string(),
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        tier: z.string(),
        rule: z.enum(['allow', 'ask', 'deny']),
        tokens: z.number(),
      }),
    ),
    tokens: z.number(),
    refused: refusedSchema,
    hosts: z.array(z.string()),
    secrets: z.array(z.object({ key: z.string(), isSet: z.boolean() })),
  }),
  handle: async ({ services, body }) => ({ body: await editorOf(services).preview(body) }),
});

const editSchema = z.object({ source: z.string(), notes: z.array(z.string()) });

const add = defineRoute({
  method: 'post',
  path: '/v1/sources',
  role: 'admin',
  tag: 'sources',
  summary: 'Write a source into the configuration and load its tools',
  input: { body: newSource },
  response: editSchema,
  status: 201,
  handle: async ({ services, body, identity }) => ({
    status: 201,
    body: await editorOf(services).add(body, identity.userId),
  }),
});

const remove = defineRoute({
  method: 'delete',
  path: '/v1/sources/:name',
  role: 'admin',
  tag: 'sources',
  summary: 'Take a source out of the configuration, and its tools with it',
  input: { params: nameParams },
  response: editSchema,
  handle: async ({ services, params, identity }) => ({
    body: await editorOf(services).remove(params.name, identity.userId),
  }),
});

export const SOURCE_ROUTES: readonly Route[] = [list, configured, preview, add, refresh, remove];

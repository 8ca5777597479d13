/** Whether the server runs and is ready, what its API offers, and how it is configured. */
import { z } from 'zod';
import { notFound } from '../../error-reply.ts';
import { docsPage } from '../../pages/docs-page.ts';
import { defineRoute, type Route } from '../../route.ts';

const checkSchema = z.object({ name: z.string(), ok: z.boolean(), detail: z.string().optional() });

const healthz = defineRoute({
  method: 'get',
  path: '/healthz',
  role: 'public',
  tag: 'health',
  summary: 'The server is there',
  response: z.object({ status: z.literal('ok'), version: z.string() }),
  handle: ({ services }) => ({ body: { status: 'ok', version: services.deps.version } }),
});

const readyz = defineRoute({
  method: 'get',
  path: '/readyz',
  role: 'public',
  tag: 'health',
  summary: 'The server can do its work; 503 when it cannot',
  response: z.object({ ready: z.boolean(), checks: z.array(checkSchema) }),
  handle: async ({ services: { deps, crib } }) => {
    const checks = deps.readiness ? await deps.readiness() : [await storeCheck(crib)];
    const ready = checks.every(({ ok }) => ok);
    return { status: ready ? 200 : 503, body: { ready, checks } };
  },
});

/** Says no more than whether the store works: anybody can read this answer. */
const storeCheck = async (crib: { store(): Promise<{ readonly isReadOnly?: boolean }> }) => {
  try {
    const { isReadOnly = false } = await crib.store();
    return { name: 'store', ok: !isReadOnly, ...(isReadOnly && { detail: 'It is read-only.' }) };
  } catch {
    return { name: 'store', ok: false, detail: 'It cannot be opened.' };
  }
};

const openapi = defineRoute({
  method: 'get',
  path: '/openapi.json',
  role: 'public',
  tag: 'health',
  summary: 'This document',
  response: z.looseObject({ openapi: z.string() }),
  etag: true,
  handle: async ({ services }) => ({ body: await services.openapi() }),
});

const docs = defineRoute({
  method: 'get',
  path: '/docs',
  role: 'public',
  tag: 'health',
  summary: 'The reference of this API, as a page',
  response: 'text/html',
  handle: async ({ services }) => docsPage(await services.openapi()),
});

/** Defines the route of RFC 9728, by which MCP clients find where to log in. */
const protectedResource = (path: string): Route =>
  defineRoute({
    method: 'get',
    path,
    role: 'public',
    tag: 'health',
    summary: 'Whose access tokens the MCP endpoint takes',
    response: z.object({
      resource: z.string(),
      authorization_servers: z.array(z.string()),
      bearer_methods_supported: z.array(z.string()),
    }),
    handle: ({ services: { deps }, request }) => {
      if (!deps.oidc) throw notFound();
      const resource = new URL('/mcp', deps.publicUrl ?? new URL(request.web().url).origin).href;
      const servers = [deps.oidc.issuer];
      return {
        body: {
          resource,
          authorization_servers: servers,
          bearer_methods_supported: ['header'],
        },
      };
    },
  });

const settings = defineRoute({
  method: 'get',
  path: '/v1/settings',
  role: 'admin',
  tag: 'settings',
  summary: 'The configuration in force, without secrets, and what the doctor says',
  response: z.object({
    config: z.array(
      z.object({
        path: z.string(),
        value: z.unknown(),
        default: z.unknown(),
        source: z.string(),
        description: z.string(),
      }),
    ),
    sandboxes: z.array(z.looseObject({ type: z.string(), ready: z.boolean() })),
    doctor: z.array(
      z.object({
        name: z.string(),
        ok: z.boolean(),
        detail: z.string().optional(),
        fix: z.string().optional(),
      }),
    ),
    version: z.string(),
    store: z.string(),
  }),
  handle: async ({ services: { crib, deps } }) => {
    const [view, sandboxes, { label }] = await Promise.all([
      deps.settings?.() ?? { config: [], doctor: [] },
      crib.health.sandboxes(),
      crib.store(),
    ]);
    const { config, doctor } = view;
    return { body: { config, sandboxes, doctor, version: deps.version, store: label } };
  },
});

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export const HEALTH_ROUTES: readonly Route[] = [
  healthz,
  readyz,
  openapi,
  docs,
  protectedResource(WELL_KNOWN),
  protectedResource(`${WELL_KNOWN}/mcp`),
  settings,
];

/** The audit trail: reading, verifying, exporting and signing it. */
import { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import { auditPage } from '../audit-page.ts';
import { callerOfIdentity } from '../auth/identity.ts';
import { defineRoute, type Route } from '../route.ts';
import { auditRowSchema } from '../schemas/call.ts';
import { idParams, listOf, nameSchema, pageQuery } from '../schemas/lists.ts';
import { replaySchema } from '../schemas/replay.ts';
import { auditQuery, filterOf } from './executions.ts';

const kind = z.enum(['intent', 'outcome', 'event']).optional();

/** The number of one row; it never changes, so that a link to it stays valid. */
const seq = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .optional();

const list = defineRoute({
  method: 'get',
  path: '/v1/audit',
  role: 'viewer',
  tag: 'audit',
  summary: 'Rows of the trail, newest first, redacted as they are kept',
  input: { query: z.strictObject({ ...auditQuery, kind, seq, ...pageQuery }) },
  response: listOf(auditRowSchema),
  handle: async ({ services, query }) => {
    const { kind, seq } = query;
    const filter = { ...filterOf(query), ...(kind && { kind }), ...(seq && { seq }) };
    return { body: await auditPage(services.crib, filter, query) };
  },
});

const headSchema = z.object({ seq: z.number(), hash: z.string() });

const verify = defineRoute({
  method: 'get',
  path: '/v1/audit/verify',
  role: 'viewer',
  tag: 'audit',
  summary: 'Walk the whole chain',
  response: z.looseObject({
    ok: z.boolean(),
    rows: z.number(),
    head: headSchema.optional(),
    problem: z.object({ kind: z.string(), seq: z.number(), message: z.string() }).optional(),
  }),
  handle: async ({ services: { deps, crib } }) => ({
    body: await (deps.verifyAudit?.() ?? crib.audit.verify()),
  }),
});

async function* textsOf(
  parts: AsyncIterable<{ readonly text: string }>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const { text } of parts) yield encoder.encode(text);
}

const TYPES = { jsonl: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

const exported = defineRoute({
  method: 'get',
  path: '/v1/audit/export',
  role: 'viewer',
  tag: 'audit',
  summary: 'The trail as a file, oldest first',
  input: {
    query: z.strictObject({
      format: z.enum(['jsonl', 'csv']).default('jsonl'),
      ...auditQuery,
      kind,
    }),
  },
  response: 'application/x-ndjson',
  handle: ({ services, query }) => {
    const { format } = query;
    const filter = { ...filterOf(query), ...(query.kind && { kind: query.kind }) };
    const parts = services.deps.exportAudit?.({ format, filter });
    if (!parts) {
      throw new ToolFailure('DEPENDENCY_MISSING', 'This server exports no audit trail.', {
        suggestions: ['Start the server with toolcrib serve.'],
      });
    }
    return new Response(ReadableStream.from(textsOf(parts)), {
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="audit.${format}"`,
      },
    });
  },
});

const checkpoint = defineRoute({
  method: 'post',
  path: '/v1/audit/checkpoint',
  role: 'operator',
  tag: 'audit',
  summary: 'Sign the end of the trail',
  response: z.object({
    version: z.literal(1),
    seq: z.number(),
    hash: z.string(),
    at: z.number(),
    store: z.string(),
    publicKey: z.string(),
    signature: z.string(),
  }),
  handle: async ({ services: { deps, crib } }) => ({
    body: await (deps.checkpoint?.() ?? crib.audit.checkpoint()),
  }),
});

const replay = defineRoute({
  method: 'post',
  path: '/v1/audit/:id/replay',
  role: 'operator',
  tag: 'audit',
  summary: 'What would become of a recorded call now; nothing is run, recorded or counted',
  input: {
    params: idParams,
    body: z.strictObject({ roles: z.array(nameSchema).max(100).optional() }).optional(),
  },
  response: replaySchema,
  handle: async ({ services: { crib }, params, body, identity }) => {
    const { userId, roles = [] } = callerOfIdentity(identity, crib.tools);
    const options = body?.roles ? { roles: body.roles } : {};
    // The role of the route was checked: an operator may read and replay the calls of others.
    const as = { ...(userId !== undefined && { userId }), roles: [...roles, 'admin'] };
    return { body: await crib.audit.replay(params.id, options, as) };
  },
});

export const AUDIT_ROUTES: readonly Route[] = [list, verify, exported, checkpoint, replay];

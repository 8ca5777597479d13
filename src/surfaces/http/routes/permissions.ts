/** Grants: listing, giving and revoking them. */
import { z } from 'zod';
import type { Grant, NewGrant } from '../../../contract/grant.ts';
import { NEWEST_FIRST, pageOf } from '../../door/page-of.ts';
import { notFound } from '../error-reply.ts';
import { defineRoute, type Route } from '../route.ts';
import { idParams, listOf, nameSchema, pageQuery } from '../schemas/lists.ts';

const subject = { user: nameSchema, role: nameSchema, agent: nameSchema, session: nameSchema };

const grantSchema = z.object({
  id: z.string(),
  subject: z.object(subject).partial(),
  resource: z.string(),
  actions: z.array(z.string()),
  condition: z.string().optional(),
  skipsApproval: z.boolean(),
  definition: z.string().optional(),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
  by: z.string(),
  note: z.string().optional(),
});

/** Leaves out the seal, which proves the record to this machine. */
const shown = ({ seal: _, ...grant }: Grant) => grant;

const list = defineRoute({
  method: 'get',
  path: '/v1/permissions',
  role: 'viewer',
  tag: 'permissions',
  summary: 'Standing grants, newest first',
  input: { query: z.strictObject(pageQuery) },
  response: listOf(grantSchema),
  handle: async ({ services, query }) => {
    const all = await services.crib.permissions.list();
    const page = pageOf(all, NEWEST_FIRST, query);
    return { body: { ...page, items: page.items.map(shown) } };
  },
});

const grantBody = z.strictObject({
  subject: z.strictObject(subject).partial(),
  resource: nameSchema,
  actions: z.array(nameSchema).min(1).max(100),
  condition: z.string().min(1).max(2000).optional(),
  skipsApproval: z.boolean(),
  expiresAt: z.number().positive().optional(),
  note: z.string().max(2000).optional(),
});

const grant = defineRoute({
  method: 'post',
  path: '/v1/permissions',
  role: 'admin',
  tag: 'permissions',
  summary: 'Give a standing grant',
  input: { body: grantBody },
  response: grantSchema,
  status: 201,
  handle: async ({ services, body, identity }) => {
    const newGrant = { ...body, by: identity.userId } as NewGrant;
    return { status: 201, body: shown(await services.crib.permissions.grant(newGrant)) };
  },
});

const revoke = defineRoute({
  method: 'delete',
  path: '/v1/permissions/:id',
  role: 'admin',
  tag: 'permissions',
  summary: 'Take a grant back',
  input: { params: idParams },
  response: z.object({ revoked: z.literal(true) }),
  handle: async ({ services, params, identity }) => {
    const revoked = await services.crib.permissions.revoke(params.id, identity.userId);
    if (!revoked) throw notFound('The grant');
    return { body: { revoked } };
  },
});

export const PERMISSION_ROUTES: readonly Route[] = [list, grant, revoke];

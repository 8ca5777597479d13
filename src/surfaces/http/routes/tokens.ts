/** Tokens: creating, listing, revoking. A token is shown once, when it is created. */
import { z } from 'zod';
import { ROLES, type TokenPolicy, type TokenRecord } from '../../../contract/tokens.ts';
import { DAY_MS } from '../../../kit/data/durations.ts';
import { NEWEST_FIRST, pageOf } from '../../door/page-of.ts';
import { notFound } from '../error-reply.ts';
import { defineRoute, type Route } from '../route.ts';
import { idParams, listOf, pageQuery, plainName } from '../schemas/lists.ts';
import { isolationSchema } from '../schemas/tool.ts';

const policySchema = z.object({
  tools: z.array(z.string()).optional(),
  dailyUsd: z.number().optional(),
  isolation: isolationSchema.optional(),
});

const tokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: z.number(),
  createdBy: z.string(),
  lastUsedAt: z.number().optional(),
  expiresAt: z.number().optional(),
  revokedAt: z.number().optional(),
  policy: policySchema.optional(),
});

/** Leaves out the hash, and the seal that proves the record to this machine. */
const shown = ({ hash: _hash, seal: _seal, ...record }: TokenRecord) => record;

const list = defineRoute({
  method: 'get',
  path: '/v1/tokens',
  role: 'admin',
  tag: 'tokens',
  summary: 'Tokens, newest first, with those that are revoked',
  input: { query: z.strictObject(pageQuery) },
  response: listOf(tokenSchema),
  handle: async ({ services, query }) => {
    const page = pageOf(await services.tokens.list(), NEWEST_FIRST, query);
    return { body: { ...page, items: page.items.map(shown) } };
  },
});

const createBody = z.strictObject({
  name: plainName,
  role: z.enum(ROLES),
  expiresInDays: z.number().positive().max(3650).optional(),
  tools: z.array(z.string().min(1).max(128)).max(1000).optional(),
  dailyUsd: z.number().nonnegative().max(1e6).optional(),
  isolation: isolationSchema.optional(),
});

const policyOf = ({ tools, dailyUsd, isolation }: z.output<typeof createBody>) => {
  const policy: TokenPolicy = {
    ...(tools && { tools }),
    ...(dailyUsd !== undefined && { dailyUsd }),
    ...(isolation && { isolation }),
  };
  return Object.keys(policy).length > 0 ? { policy } : {};
};

const create = defineRoute({
  method: 'post',
  path: '/v1/tokens',
  role: 'admin',
  tag: 'tokens',
  summary: 'Make a token; it is shown this once',
  input: { body: createBody },
  response: tokenSchema.extend({ token: z.string() }),
  status: 201,
  handle: async ({ services, body, identity }) => {
    const { name, role, expiresInDays } = body;
    const expires =
      expiresInDays === undefined
        ? {}
        : { expiresAt: Math.round(services.deps.runtime.now() + expiresInDays * DAY_MS) };
    const newToken = { name, role, ...expires, ...policyOf(body) };
    const { token, record } = await services.tokens.create(newToken, identity.userId);
    return { status: 201, body: { token, ...shown(record) } };
  },
});

const revoke = defineRoute({
  method: 'delete',
  path: '/v1/tokens/:id',
  role: 'admin',
  tag: 'tokens',
  summary: 'Revoke a token, at once',
  input: { params: idParams },
  response: z.object({ revoked: z.literal(true) }),
  handle: async ({ services, params }) => {
    if (!(await services.tokens.revoke(params.id))) throw notFound('The token');
    void services.streams.recheck();
    return { body: { revoked: true } };
  },
});

export const TOKEN_ROUTES: readonly Route[] = [list, create, revoke];

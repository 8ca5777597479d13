/** Tokens: handing out, listing, revoking. A token is shown once, when it is made. */
import { z } from 'zod';
import { ROLES, type TokenPolicy, type TokenRecord } from '../../../contract/tokens.ts';
import { notFound } from '../error-reply.ts';
import { pageOf, timeKey } from '../page-of.ts';
import { defineRoute, type Route } from '../route.ts';
import { idParams, listOf, pageQuery } from '../schemas/lists.ts';
import { plainName } from '../schemas/plain-name.ts';

const isolation = z.enum(['none', 'basic', 'strict', 'paranoid']);

const policySchema = z.object({
  tools: z.array(z.string()).optional(),
  dailyUsd: z.number().optional(),
  isolation: isolation.optional(),
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

const shown = ({ hash: _, ...record }: TokenRecord) => record;

const list = defineRoute({
  method: 'get',
  path: '/v1/tokens',
  role: 'admin',
  tag: 'tokens',
  summary: 'Tokens, newest first, with those that are revoked',
  input: { query: z.strictObject(pageQuery) },
  response: listOf(tokenSchema),
  handle: async ({ services, query }) => {
    const order = {
      keyOf: ({ createdAt, id }: TokenRecord) => timeKey(createdAt, id),
      newestFirst: true,
    };
    const page = pageOf(await services.tokens.list(), order, query);
    return { body: { ...page, items: page.items.map(shown) } };
  },
});

const createBody = z.strictObject({
  name: plainName,
  role: z.enum(ROLES),
  expiresInDays: z.number().positive().max(3650).optional(),
  tools: z.array(z.string().min(1).max(128)).max(1000).optional(),
  dailyUsd: z.number().nonnegative().max(1e6).optional(),
  isolation: isolation.optional(),
});

const DAY_MS = 86_400_000;

const policyOf = ({ tools, dailyUsd, isolation: level }: z.output<typeof createBody>) => {
  const policy: TokenPolicy = {
    ...(tools && { tools }),
    ...(dailyUsd !== undefined && { dailyUsd }),
    ...(level && { isolation: level }),
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
    const wanted = { name, role, ...expires, ...policyOf(body) };
    const { token, record } = await services.tokens.create(wanted, identity.userId);
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
    void services.streams.look();
    return { body: { revoked: true } };
  },
});

export const TOKEN_ROUTES: readonly Route[] = [list, create, revoke];

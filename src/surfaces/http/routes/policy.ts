/** The rules in force, their verdict about a call, and what rules in shadow mode would have decided. */
import { z } from 'zod';
import type { CallAs } from '../../../contract/call-options.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { pageOf, timeKey } from '../../door/page-of.ts';
import { callerOfIdentity } from '../auth/identity.ts';
import { defineRoute, type Route } from '../route.ts';
import { listOf, nameSchema, pageQuery } from '../schemas/lists.ts';
import { isolationSchema, tierSchema } from '../schemas/tool.ts';
import { entryOf } from '../tool-view.ts';

const effect = z.enum(['allow', 'ask', 'deny']);

const rules = defineRoute({
  method: 'get',
  path: '/v1/policy',
  role: 'viewer',
  tag: 'policy',
  summary: 'The rules in force',
  response: z.object({
    version: z.string(),
    rules: z.array(
      z.object({
        id: z.string(),
        effect,
        source: z.string(),
        tools: z.array(z.string()).optional(),
        tiers: z.array(tierSchema).optional(),
        condition: z.string().optional(),
        reason: z.string().optional(),
        shadow: z.boolean(),
      }),
    ),
  }),
  etag: true,
  handle: async ({ services: { deps } }) => {
    if (!deps.policy) {
      throw new ToolFailure('DEPENDENCY_MISSING', 'The rules cannot be listed.', {
        suggestions: ['Start the server with toolcrib serve.'],
      });
    }
    return { body: await deps.policy() };
  },
});

const names = z.array(nameSchema).max(100);

const explain = defineRoute({
  method: 'post',
  path: '/v1/policy/explain',
  role: 'viewer',
  tag: 'policy',
  summary: 'Which rule would decide about a call; nothing is run',
  input: {
    body: z.strictObject({
      tool: nameSchema,
      input: z.unknown(),
      as: z
        .strictObject({
          userId: nameSchema.optional(),
          agentId: nameSchema.optional(),
          sessionId: nameSchema.optional(),
          roles: names.optional(),
          permissions: names.optional(),
          isolation: isolationSchema.optional(),
        })
        .optional(),
    }),
  },
  response: z.object({
    verdict: z.looseObject({ effect, rule: z.string(), reason: z.string() }),
    considered: z.array(
      z.object({
        rule: z.string(),
        effect,
        origin: z.string(),
        matched: z.boolean(),
        why: z.string(),
        shadow: z.boolean(),
      }),
    ),
  }),
  handle: async ({ services, identity, body: { tool, input, as } }) => {
    entryOf(tool, services);
    const own = callerOfIdentity(identity, services.crib.tools);
    // A question about another caller is answered for the names in it, not for the caller who asks.
    const caller = (as ? { ...own, authenticated: undefined, ...as } : own) as CallAs;
    return { body: await services.crib.explain(tool, input, caller) };
  },
});

const shadow = defineRoute({
  method: 'get',
  path: '/v1/policy/shadow',
  role: 'viewer',
  tag: 'policy',
  summary: 'What rules in shadow mode would have done since the server started',
  input: { query: z.strictObject(pageQuery) },
  response: listOf(
    z.object({
      at: z.number(),
      executionId: z.string(),
      tool: z.string(),
      findings: z.array(z.object({ rule: z.string(), effect, reason: z.string() })),
    }),
  ),
  handle: ({ services, query }) => ({
    body: pageOf(
      services.shadow.list(),
      { keyOf: ({ at, executionId }) => timeKey(at, executionId), newestFirst: true },
      query,
    ),
  }),
});

export const POLICY_ROUTES: readonly Route[] = [rules, explain, shadow];

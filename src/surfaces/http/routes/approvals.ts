/** The inbox of approvals: listing, showing and deciding them. */
import { z } from 'zod';
import type { ApprovalAnswer, ApprovalRecord } from '../../../contract/approver.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { boundedPage, NEWEST_FIRST, pageOf } from '../../door/page-of.ts';
import { type Identity, isJudgeOfItself } from '../auth/identity.ts';
import { notFound } from '../error-reply.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Route } from '../route.ts';
import { idParams, listOf, pageQuery } from '../schemas/lists.ts';

const stateSchema = z.enum(['waiting', 'approved', 'denied', 'used']);

const approvalSchema = z.looseObject({
  id: z.string(),
  userId: z.string(),
  agentId: z.string(),
  sessionId: z.string(),
  tool: z.string(),
  version: z.string(),
  targets: z.array(z.string()),
  createdAt: z.number(),
  expiresAt: z.number(),
  state: stateSchema,
  summary: z.string().optional(),
  request: z.looseObject({ input: z.unknown(), reason: z.string(), rule: z.string() }),
  decidedBy: z.string().optional(),
  decidedAt: z.number().optional(),
  note: z.string().optional(),
});

/** Leaves out the seal, which proves the record to this machine. */
const shown = ({ seal: _, ...record }: ApprovalRecord) => record;

const isVisible = (record: ApprovalRecord, { role, userId }: Identity): boolean =>
  role !== 'agent' || record.userId === userId;

const list = defineRoute({
  method: 'get',
  path: '/v1/approvals',
  role: 'member',
  tag: 'approvals',
  summary: 'Questions, newest first, with the exact input',
  input: { query: z.strictObject({ state: stateSchema.optional(), ...pageQuery }) },
  response: listOf(approvalSchema),
  handle: async ({ services, query, identity }) => {
    const { approvals } = await services.crib.store();
    const all = await approvals.list(query.state);
    const visible = all.filter((record) => isVisible(record, identity));
    const page = boundedPage(pageOf(visible, NEWEST_FIRST, query), NEWEST_FIRST.keyOf);
    return { body: { ...page, items: page.items.map(shown) } };
  },
});

const find = async (id: string, { crib }: HttpServices, identity: Identity) => {
  const record = await crib.approvals.get(id);
  if (record && isVisible(record, identity)) return record;
  throw notFound('The question');
};

const look = defineRoute({
  method: 'get',
  path: '/v1/approvals/:id',
  role: 'member',
  tag: 'approvals',
  summary: 'One question',
  input: { params: idParams },
  response: approvalSchema,
  handle: async ({ services, params, identity }) => ({
    body: shown(await find(params.id, services, identity)),
  }),
});

const decideBody = z.strictObject({
  approve: z.boolean(),
  note: z.string().max(2000).optional(),
  input: z.unknown().optional(),
  remember: z
    .union([
      z.strictObject({ scope: z.literal('session') }),
      z.strictObject({
        scope: z.literal('pattern'),
        condition: z.string().min(1).max(2000),
        expiresAt: z.number().positive().optional(),
      }),
    ])
    .optional(),
});

const answerOf = (body: z.output<typeof decideBody>, by: string): ApprovalAnswer => {
  const { approve, note, input, remember } = body;
  return {
    approve,
    by,
    ...(note !== undefined && { note }),
    ...(input !== undefined && { input }),
    ...(remember && { remember: remember as NonNullable<ApprovalAnswer['remember']> }),
  };
};

/** Refuses approval of one's own call with a token; a person at the console may give it. */
const assertNotOwn = (record: ApprovalRecord, identity: Identity): void => {
  if (!isJudgeOfItself(identity, record.userId)) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Nobody approves a call of their own with a token.', {
    suggestions: ['Decide at the console, or with the token of somebody else.'],
  });
};

const decide = defineRoute({
  method: 'post',
  path: '/v1/approvals/:id/decide',
  role: 'operator',
  tag: 'approvals',
  summary: 'Approve or deny, perhaps with another input',
  input: { params: idParams, body: decideBody },
  response: z.object({ decided: z.literal(true) }),
  handle: async ({ services, params, body, identity }) => {
    const record = await find(params.id, services, identity);
    if (body.approve) assertNotOwn(record, identity);
    const decided = await services.crib.approvals.decide(
      params.id,
      answerOf(body, identity.userId),
    );
    if (decided) return { body: { decided } };
    throw new ToolFailure('CONFLICT', 'The question is not waiting any more.', {
      suggestions: ['Look at it again.'],
    });
  },
});

export const APPROVAL_ROUTES: readonly Route[] = [list, look, decide];

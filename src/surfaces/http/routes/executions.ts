/** Calls that were made: listing, showing, cancelling and undoing them. */
import { z } from 'zod';
import type { AuditFilter, AuditRow, AuditStatus } from '../../../contract/audit.ts';
import { summaryOfRow } from '../../../contract/call-summary.ts';
import type { ExecutionStatus } from '../../../contract/crib-members.ts';
import { searchPage } from '../audit-page.ts';
import { callerOfIdentity, type Identity } from '../auth/identity.ts';
import { notFound } from '../error-reply.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Route } from '../route.ts';
import { executionDetailSchema, executionSchema, toolResultSchema } from '../schemas/call.ts';
import { idParams, listOf, nameSchema, pageQuery, timeSchema } from '../schemas/lists.ts';
import { tierSchema } from '../schemas/tool.ts';
import { statusOf } from './execute.ts';

export const auditQuery = {
  tool: nameSchema.optional(),
  status: z
    .enum([
      'success',
      'failure',
      'timeout',
      'cancelled',
      'denied',
      'pending',
      'started',
      'unknown',
      'undone',
    ])
    .optional(),
  user: nameSchema.optional(),
  tier: tierSchema.optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
};

interface AuditQuery {
  readonly tool?: string | undefined;
  readonly status?: AuditStatus | undefined;
  readonly user?: string | undefined;
  readonly tier?: AuditFilter['tier'] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export const filterOf = ({ tool, status, user, tier, from, to }: AuditQuery): AuditFilter => ({
  ...(tool !== undefined && { tool }),
  ...(status !== undefined && { status }),
  ...(user !== undefined && { userId: user }),
  ...(tier !== undefined && { tier }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

const MICROS = 1_000_000;

const summaryOf = (row: AuditRow) => {
  const { executionId, tool, version, tier, status, code, at, durationMs } = row;
  const { userId, agentId, sessionId, costMicros, detail } = row;
  const effect = typeof detail.effect === 'string' ? { effect: detail.effect } : {};
  const caller = { userId, agentId, sessionId };
  const cost = { costUsd: costMicros / MICROS };
  return {
    executionId,
    tool,
    summary: summaryOfRow(row),
    version,
    tier,
    status,
    code,
    at,
    durationMs,
    ...cost,
    ...caller,
    ...effect,
  };
};

/** Limits an agent to its own calls. */
const ownOnly = ({ role, userId }: Identity): { readonly userId?: string } =>
  role === 'agent' ? { userId } : {};

const list = defineRoute({
  method: 'get',
  path: '/v1/executions',
  role: 'member',
  tag: 'executions',
  summary: 'Finished calls, newest first',
  input: { query: z.strictObject({ ...auditQuery, q: nameSchema.optional(), ...pageQuery }) },
  response: listOf(executionSchema),
  handle: async ({ services, query, identity }) => {
    const filter: AuditFilter = { ...filterOf(query), kind: 'outcome', ...ownOnly(identity) };
    const { items, next } = await searchPage(services.crib, { filter, text: query.q }, query);
    return { body: { items: items.map(summaryOf), ...(next !== undefined && { next }) } };
  },
});

const runningSummary = ({ executionId, tool, startedAt, state }: ExecutionStatus) => ({
  executionId,
  tool,
  summary: '',
  version: '',
  tier: '',
  status: state,
  code: '',
  at: startedAt,
  durationMs: 0,
  costUsd: 0,
  userId: '',
  agentId: '',
  sessionId: '',
});

const detailOf = async (id: string, services: HttpServices, identity: Identity) => {
  const { audit } = await services.crib.store();
  const rows = await audit.query({ executionId: id });
  if (identity.role === 'agent' && rows.at(-1)?.userId !== identity.userId)
    throw notFound('The call');
  const status = await services.crib.executions.status(id);
  if (!status) throw notFound('The call');
  const row = rows.find(({ kind }) => kind === 'outcome') ?? rows[0];
  const trace = services.deps.trace?.(id);
  return {
    ...(row ? summaryOf(row) : runningSummary(status)),
    state: status.state,
    effect: status.effect,
    ...(status.progress && { progress: status.progress }),
    rows,
    ...(trace && { trace }),
    undoable: await services.crib.executions.isUndoable(id),
  };
};

const look = defineRoute({
  method: 'get',
  path: '/v1/executions/:id',
  role: 'member',
  tag: 'executions',
  summary: 'One call, with its rows of the audit trail',
  input: { params: idParams },
  response: executionDetailSchema,
  handle: async ({ services, params, identity }) => ({
    body: await detailOf(params.id, services, identity),
  }),
});

const cancel = defineRoute({
  method: 'post',
  path: '/v1/executions/:id/cancel',
  role: 'operator',
  tag: 'executions',
  summary: 'Cancel a running call',
  input: { params: idParams },
  response: z.object({ cancelled: z.boolean() }),
  handle: ({ services, params }) => ({
    body: { cancelled: services.crib.executions.cancel(params.id) },
  }),
});

const undo = defineRoute({
  method: 'post',
  path: '/v1/executions/:id/undo',
  role: 'operator',
  tag: 'executions',
  summary: 'Take back what a call changed; 202 while a person has to approve that first',
  input: {
    params: idParams,
    body: z.strictObject({ approvalId: nameSchema.optional() }).optional(),
  },
  response: toolResultSchema,
  also: { 202: 'A person has to approve the call first.' },
  handle: async ({ services, params, body, identity }) => {
    const caller = callerOfIdentity(identity, services.crib.tools);
    // The role of the route has been checked: an operator takes back the calls of others, too. It
    // keeps its own roles, so that a rule against one of them holds.
    const roles = [...(caller.roles ?? []), 'admin'];
    const approval = body?.approvalId !== undefined && { approvalId: body.approvalId };
    const result = await services.crib.executions.undo(params.id, {
      ...caller,
      roles,
      ...approval,
    });
    return { status: statusOf(result), body: result };
  },
});

export const EXECUTION_ROUTES: readonly Route[] = [list, look, cancel, undo];

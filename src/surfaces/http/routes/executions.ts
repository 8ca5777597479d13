/** Calls that were made: listing, showing, cancelling and undoing them. */
import { z } from 'zod';
import {
  AUDIT_STATUSES,
  type AuditFilter,
  type AuditRow,
  type AuditStatus,
} from '../../../contract/audit.ts';
import { summaryOfRow } from '../../../contract/call-summary.ts';
import type { ExecutionStatus, RunningCall } from '../../../contract/crib-members.ts';
import { ERRORS, type ErrorCode, isErrorCode } from '../../../contract/errors.ts';
import { UNKNOWN_TOOL } from '../../../contract/metrics.ts';
import { MICROS_PER_USD } from '../../../contract/tool-cost.ts';
import { searchPage } from '../audit-page.ts';
import { callerOfIdentity, type Identity } from '../auth/identity.ts';
import { notFound } from '../error-reply.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  executionDetailSchema,
  executionSchema,
  runningSchema,
  toolResultSchema,
} from '../schemas/call.ts';
import { idParams, listOf, nameSchema, pageQuery, timeSchema } from '../schemas/lists.ts';
import { tierSchema } from '../schemas/tool.ts';
import { statusOf } from './execute.ts';

const statusSchema = z.enum(AUDIT_STATUSES);

/** One status, or several with commas between them. */
const statusesSchema = z
  .string()
  .max(200)
  .transform((text) => text.split(','))
  .pipe(z.array(statusSchema).min(1));

export const auditQuery = {
  tool: nameSchema.optional(),
  status: statusesSchema.optional(),
  code: z.string().refine(isErrorCode, 'An error code such as NETWORK.').optional(),
  user: nameSchema.optional(),
  tier: tierSchema.optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  overMs: z.coerce.number().min(0).optional(),
  upToMs: z.coerce.number().min(0).optional(),
};

interface AuditQuery {
  readonly tool?: string | undefined;
  readonly status?: readonly AuditStatus[] | undefined;
  readonly code?: ErrorCode | undefined;
  readonly user?: string | undefined;
  readonly tier?: AuditFilter['tier'] | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly overMs?: number | undefined;
  readonly upToMs?: number | undefined;
}

/**
 * Makes the filter for a tool. Calls of unknown names are counted under one name; their rows have no
 * version.
 */
const toolFilter = (tool: string): AuditFilter =>
  tool === UNKNOWN_TOOL ? { version: '' } : { tool };

export const filterOf = ({
  tool,
  status,
  user,
  tier,
  code,
  from,
  to,
  overMs,
  upToMs,
}: AuditQuery): AuditFilter => ({
  ...(tool !== undefined && toolFilter(tool)),
  ...(status !== undefined && { statuses: status }),
  ...(code !== undefined && { code }),
  ...(user !== undefined && { userId: user }),
  ...(tier !== undefined && { tier }),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(overMs !== undefined && { overMs }),
  ...(upToMs !== undefined && { upToMs }),
});

const MAX_RUNNING = 200;

const summaryOf = (row: AuditRow) => {
  const { executionId, tool, version, tier, status, code, at, durationMs } = row;
  const { userId, agentId, sessionId, costMicros, detail } = row;
  const effect = typeof detail.effect === 'string' ? { effect: detail.effect } : {};
  const caller = { userId, agentId, sessionId };
  const cost = { costUsd: costMicros / MICROS_PER_USD };
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

const runningRow = (call: RunningCall) => {
  const { userId, agentId, sessionId, tier, summary, progress, isHere } = call;
  const caller = { userId, agentId, sessionId };
  return {
    ...runningSummary(call),
    ...caller,
    tier,
    summary,
    isHere,
    ...(progress && { progress }),
  };
};

const running = defineRoute({
  method: 'get',
  path: '/v1/executions/running',
  role: 'member',
  tag: 'executions',
  summary: 'Calls under way, the newest first; of other processes those that may change something',
  response: z.object({ items: z.array(runningSchema) }),
  handle: async ({ services, identity }) => {
    const calls = await services.crib.executions.running();
    const { userId } = ownOnly(identity);
    const own = calls.filter((call) => userId === undefined || call.userId === userId);
    return { body: { items: own.slice(0, MAX_RUNNING).map(runningRow) } };
  },
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
    ...(row && isErrorCode(row.code) && { meaning: ERRORS[row.code].sentence }),
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
    // The role of the route was checked: an operator may undo the calls of others, too. It keeps its own
    // roles, so that a rule against one of them holds.
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

export const EXECUTION_ROUTES: readonly Route[] = [list, running, look, cancel, undo];

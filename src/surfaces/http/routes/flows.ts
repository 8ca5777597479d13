/** Flows: listing and starting them, and managing their runs. */
import { z } from 'zod';
import type { CallAs } from '../../../contract/call-options.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { FINISHED, type FlowRun } from '../../../contract/flow-store.ts';
import { compact } from '../../../kit/data/compact.ts';
import { declaredDrawing } from '../../../kit/graph/declared-drawing.ts';
import { startKeyed } from '../../door/start-keyed.ts';
import { callerOfIdentity, type Identity, isJudgeOfItself } from '../auth/identity.ts';
import { notFound } from '../error-reply.ts';
import { ownRun, runPage, shownRun, visibleRun } from '../flow-access.ts';
import { pictureOf, shownSteps } from '../flow-steps.ts';
import type { HttpServices } from '../http-services.ts';
import { inRequestSpan } from '../request-span.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  flowSchema,
  planApprovalSchema,
  planBody,
  planSchema,
  resumeBody,
  runDetailSchema,
  runSchema,
  runStatusSchema,
  sendBody,
  startBody,
} from '../schemas/flow.ts';
import { idParams, listOf, nameParams, nameSchema, pageQuery } from '../schemas/lists.ts';
import { keyOf, traceOf } from './execute.ts';

const pictureQuery = z.strictObject({ format: z.enum(['svg', 'mermaid']).default('svg') });

const list = defineRoute({
  method: 'get',
  path: '/v1/flows',
  role: 'member',
  tag: 'flows',
  summary: 'The flows that this server can run, with their input as JSON Schema',
  response: z.object({ items: z.array(flowSchema) }),
  handle: async ({ services }) => ({ body: { items: await services.crib.flows.registered() } }),
});

/**
 * Returns the name of a flow whose steps are declared. The crib also takes the text of a flow where it
 * takes a name; a request names flows of this server only. Throws NOT_FOUND.
 */
const declaredName = async (name: string, { crib }: HttpServices): Promise<string> => {
  const flows = await crib.flows.registered();
  if (flows.some((flow) => flow.name === name && flow.source === 'data')) return name;
  throw notFound('A declared flow of this name');
};

const start = defineRoute({
  method: 'post',
  path: '/v1/flows/:name/runs',
  role: 'agent',
  tag: 'flows',
  summary: 'Start a run; the same Idempotency-Key again gives the run that is there',
  input: { params: nameParams, body: startBody },
  response: runSchema,
  status: 201,
  handle: async ({ services, identity, params, body, request, requestId }) => {
    const { flows, tools } = services.crib;
    const { telemetry } = services.deps.runtime;
    const { version, idempotencyKey, input, planApproval } = body;
    const key = keyOf(request, idempotencyKey);
    const { userId } = identity;
    const as = {
      ...callerOfIdentity(identity, tools, body),
      ...traceOf(request, requestId, telemetry),
    };
    // The calls of a run have the id of the run as theirs.
    const run = async ({ traceId: _, ...own }: CallAs) => {
      const options = { ...own, ...compact({ version, planApproval }) };
      const { runId } = await startKeyed({ userId, flow: params.name, key }, (id) =>
        flows.start(params.name, input, { ...options, ...id }),
      );
      const started = await visibleRun(runId, services, identity);
      return { status: 201, body: shownRun(started, identity) };
    };
    return telemetry ? inRequestSpan(telemetry, '/v1/flows/:name/runs', { as, run }) : run(as);
  },
});

const plan = defineRoute({
  method: 'post',
  path: '/v1/flows/:name/plan',
  role: 'agent',
  tag: 'flows',
  summary: 'What a run of a declared flow would do, cost and ask; runs nothing',
  input: { params: nameParams, body: planBody },
  response: planSchema,
  handle: async ({ services, identity, params, body }) => {
    const { flows, tools } = services.crib;
    const name = await declaredName(params.name, services);
    const as = callerOfIdentity(identity, tools, body);
    return { body: await flows.plan(name, body.input, as) };
  },
});

const requestApproval = defineRoute({
  method: 'post',
  path: '/v1/flows/:name/plan/approval',
  role: 'agent',
  tag: 'flows',
  summary: 'Ask a person once for all calls of a plan; the answer starts one run',
  input: { params: nameParams, body: planBody },
  response: planApprovalSchema,
  status: 201,
  handle: async ({ services, identity, params, body }) => {
    const { flows, tools } = services.crib;
    const name = await declaredName(params.name, services);
    const as = callerOfIdentity(identity, tools, body);
    return { status: 201, body: await flows.requestApproval(name, body.input, as) };
  },
});

const flowGraph = defineRoute({
  method: 'get',
  path: '/v1/flows/:name/graph',
  role: 'member',
  tag: 'flows',
  summary: 'The steps of a declared flow as a picture: format=svg, or format=mermaid',
  input: { params: nameParams, query: pictureQuery },
  response: 'image/svg+xml',
  handle: async ({ services, params, query }) => {
    const name = await declaredName(params.name, services);
    return pictureOf(declaredDrawing(await services.crib.flows.graph(name)), query.format);
  },
});

const runs = defineRoute({
  method: 'get',
  path: '/v1/flows/runs',
  role: 'member',
  tag: 'flows',
  summary: 'Runs, newest first; those of other users for admins and viewers alone',
  input: {
    query: z.strictObject({
      status: runStatusSchema.optional(),
      flow: nameSchema.optional(),
      user: nameSchema.optional(),
      ...pageQuery,
    }),
  },
  response: listOf(runSchema),
  handle: async ({ services, identity, query }) => {
    const { status, flow, user } = query;
    const filter = {
      ...(status !== undefined && { status }),
      ...(flow !== undefined && { flow }),
      ...(user !== undefined && { userId: user }),
    };
    const page = await runPage(filter, query, { services, identity });
    return { body: { ...page, items: page.items.map((run) => shownRun(run, identity)) } };
  },
});

const look = defineRoute({
  method: 'get',
  path: '/v1/flows/runs/:id',
  role: 'member',
  tag: 'flows',
  summary: 'One run with its steps, what each took and cost, and the graph of both',
  input: { params: idParams },
  response: runDetailSchema,
  handle: async ({ services, identity, params }) => {
    const run = await visibleRun(params.id, services, identity);
    const shown = await shownSteps(run, services, identity);
    return { body: { ...shownRun(run, identity), ...shown } };
  },
});

const runGraph = defineRoute({
  method: 'get',
  path: '/v1/flows/runs/:id/graph',
  role: 'member',
  tag: 'flows',
  summary: 'The steps of a run as a picture: format=svg, or format=mermaid',
  input: {
    params: idParams,
    query: pictureQuery,
  },
  response: 'image/svg+xml',
  handle: async ({ services, identity, params, query }) => {
    const run = await visibleRun(params.id, services, identity);
    const { graph: drawing } = await shownSteps(run, services, identity);
    return pictureOf(drawing, query.format);
  },
});

/** Makes the failure for a run that is over, or that a process works on. */
const unchanged = async ({ id }: FlowRun, { crib }: HttpServices): Promise<ToolFailure> => {
  const run = await crib.flows.get(id);
  const isOver = run === undefined || FINISHED.has(run.status);
  return new ToolFailure(
    'CONFLICT',
    isOver ? 'The run is over.' : 'A process works on the run at this moment.',
    { suggestions: ['Look at it again.'] },
  );
};

const cancel = defineRoute({
  method: 'post',
  path: '/v1/flows/runs/:id/cancel',
  role: 'agent',
  tag: 'flows',
  summary: 'Cancel a run and those that it has started; what was done stays done',
  input: { params: idParams },
  response: z.object({ cancelled: z.literal(true) }),
  handle: async ({ services, identity, params }) => {
    const { run, as } = await ownRun(params.id, services, identity);
    if (await services.crib.flows.cancel(run.id, as)) return { body: { cancelled: true } };
    throw await unchanged(run, services);
  },
});

/**
 * Refuses the word of whoever may not answer the question of the run: who says that an approved call did
 * nothing has it made again on the same approval.
 */
const assertMaySettle = ({ caller }: FlowRun, identity: Identity): void => {
  if (identity.role !== 'agent' && !isJudgeOfItself(identity, caller.userId)) return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'A person or another token has to say what became of a call in doubt.',
    { suggestions: ['Say it at the console, or with the token of an admin.'] },
  );
};

const resume = defineRoute({
  method: 'post',
  path: '/v1/flows/runs/:id/resume',
  role: 'agent',
  tag: 'flows',
  summary:
    'Continue a run that is blocked or waits, on another version if one is named; `settle` says what became of a call in doubt',
  input: { params: idParams, body: resumeBody },
  response: z.object({ resumed: z.literal(true) }),
  handle: async ({ services, identity, params, body }) => {
    const { run, as } = await ownRun(params.id, services, identity);
    if (body?.settle) assertMaySettle(run, identity);
    if (await services.crib.flows.resume(run.id, body, as)) return { body: { resumed: true } };
    throw await unchanged(run, services);
  },
});

const send = defineRoute({
  method: 'post',
  path: '/v1/flows/runs/:id/send',
  role: 'agent',
  tag: 'flows',
  summary: 'Send an event to a run that waits for it, or will',
  input: { params: idParams, body: sendBody },
  response: z.object({ sent: z.literal(true) }),
  handle: async ({ services, identity, params, body }) => {
    const { run, as } = await ownRun(params.id, services, identity);
    const { event, payload = null } = body;
    if (await services.crib.flows.send(run.id, event, payload, as)) {
      return { body: { sent: true } };
    }
    throw await unchanged(run, services);
  },
});

export const FLOW_ROUTES: readonly Route[] = [
  ...[list, runs, look, runGraph, cancel, resume, send],
  ...[start, plan, requestApproval, flowGraph],
];

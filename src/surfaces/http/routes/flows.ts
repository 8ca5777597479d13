/** Flows: listing, starting, and looking after their runs. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import { FINISHED, type FlowRun } from '../../../contract/flow-store.ts';
import { type FlowDrawing, stepViews, totalCost } from '../../../contract/flow-view.ts';
import { journalGraph } from '../../../kit/graph/journal-graph.ts';
import { mermaidText } from '../../../kit/graph/mermaid-text.ts';
import { callerOfIdentity, type Identity } from '../auth/identity.ts';
import { ownRun, runPage, seesContent, shownRun, shownStep, visibleRun } from '../flow-access.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Route, type WholeReply } from '../route.ts';
import {
  flowSchema,
  resumeBody,
  runDetailSchema,
  runSchema,
  runStatusSchema,
  sendBody,
  startBody,
} from '../schemas/flow.ts';
import { idParams, listOf, nameParams, nameSchema, pageQuery } from '../schemas/lists.ts';
import { keyOf } from './execute.ts';

/** So many steps of a run are shown; a run may have any number. */
const MAX_STEPS = 500;

const list = defineRoute({
  method: 'get',
  path: '/v1/flows',
  role: 'member',
  tag: 'flows',
  summary: 'The flows that this server can run, with their input as JSON Schema',
  response: z.object({ items: z.array(flowSchema) }),
  handle: async ({ services }) => ({ body: { items: await services.crib.flows.registered() } }),
});

/** Makes the id of a run from a key: the same key of two callers, or two flows, makes two runs. */
const runIdOf = (flow: string, { userId }: Identity, key: string): string => {
  const parts = JSON.stringify([userId, flow, key]);
  return `key-${createHash('sha256').update(parts).digest('base64url').slice(0, 32)}`;
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
  handle: async ({ services, identity, params, body, request }) => {
    const { flows, tools } = services.crib;
    const { version, idempotencyKey, input } = body;
    const key = keyOf(request, idempotencyKey);
    const { runId } = await flows.start(params.name, input, {
      ...callerOfIdentity(identity, tools, body),
      ...(version !== undefined && { version }),
      ...(key !== undefined && { runId: runIdOf(params.name, identity, key) }),
    });
    const run = await visibleRun(runId, services, identity);
    return { status: 201, body: shownRun(run, identity) };
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

const stepsOf = async (run: FlowRun, services: HttpServices, identity: Identity) => {
  const { crib, deps } = services;
  const steps = await crib.flows.steps(run.id);
  const { audit } = await crib.store();
  const isWhole = seesContent(run, identity);
  const views = (await stepViews(steps.slice(0, MAX_STEPS), audit)).map((step) => {
    const trace = step.executionId === undefined ? undefined : deps.trace?.(step.executionId);
    return { ...shownStep(step, isWhole), ...(trace && { trace }) };
  });
  return { steps: views, stepCount: steps.length };
};

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
    const { steps, stepCount } = await stepsOf(run, services, identity);
    const costUsd = totalCost(steps);
    const graph = journalGraph(steps);
    return { body: { ...shownRun(run, identity), steps, stepCount, costUsd, graph } };
  },
});

const PICTURE_HEADERS = {
  // Opened by itself the picture is a document: it may run nothing and load nothing.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'no-store',
};

const drawn = async (graph: FlowDrawing, format: 'svg' | 'mermaid'): Promise<WholeReply> => {
  const isPicture = format === 'svg';
  const body = isPicture
    ? await (await import('../../../kit/graph/graph-svg.ts')).graphSvg(graph)
    : mermaidText(graph);
  const type = isPicture ? 'image/svg+xml' : 'text/plain; charset=utf-8';
  return { answer: { status: 200, headers: { ...PICTURE_HEADERS, 'content-type': type }, body } };
};

const graph = defineRoute({
  method: 'get',
  path: '/v1/flows/runs/:id/graph',
  role: 'member',
  tag: 'flows',
  summary: 'The steps of a run as a picture: format=svg, or format=mermaid',
  input: {
    params: idParams,
    query: z.strictObject({ format: z.enum(['svg', 'mermaid']).default('svg') }),
  },
  response: 'image/svg+xml',
  handle: async ({ services, identity, params, query }) => {
    const run = await visibleRun(params.id, services, identity);
    const { steps } = await stepsOf(run, services, identity);
    return drawn(journalGraph(steps), query.format);
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

const resume = defineRoute({
  method: 'post',
  path: '/v1/flows/runs/:id/resume',
  role: 'agent',
  tag: 'flows',
  summary: 'Continue a run that is blocked or waits, on another version if one is named',
  input: { params: idParams, body: resumeBody },
  response: z.object({ resumed: z.literal(true) }),
  handle: async ({ services, identity, params, body }) => {
    const { run, as } = await ownRun(params.id, services, identity);
    const options = body?.version === undefined ? {} : { version: body.version };
    if (await services.crib.flows.resume(run.id, options, as)) return { body: { resumed: true } };
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

export const FLOW_ROUTES: readonly Route[] = [list, runs, look, graph, start, cancel, resume, send];

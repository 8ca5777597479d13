/** The `tasks/…` requests of a client, answered from the runs that it has started. */
import type { ProtocolError, Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { NEWEST_FIRST, pageOf } from '../../door/page-of.ts';
import type { CallContext } from '../call/call-context.ts';
import type { ServerDeps } from '../surface-deps.ts';
import { takeAnswers, taskQuestions } from './ask-approval.ts';
import { awaitRun } from './await-run.ts';
import { takesTasks } from './call-flow.ts';
import { findOwnRun, listOwnRuns, type RunState, stateOf } from './own-runs.ts';
import { endReply } from './run-reply.ts';
import { detailedTask, isOver, RELATED_TASK, TASKS_EXTENSION, taskOf } from './run-task.ts';

const idParams = z.looseObject({ taskId: z.string() });
const listParams = z.looseObject({ cursor: z.string().optional() });

const PAGE_SIZE = 100;
const MISSING_CAPABILITY = -32021;

/** Makes the error for ids of tasks that are unknown, forgotten or of another client. */
const invalid = ({ sdk }: ServerDeps, message: string): ProtocolError =>
  new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, message);

const ownRun = async (deps: ServerDeps, taskId: string): Promise<FlowRun> => {
  const run = await findOwnRun(deps.crib, taskId, deps.session.caller);
  if (run) return run;
  throw invalid(deps, 'Task not found');
};

const shownState = ({ crib, options }: ServerDeps, run: FlowRun): Promise<RunState> =>
  stateOf(crib, run, options.runtime.now());

const cancelRun = async (deps: ServerDeps, run: FlowRun): Promise<boolean> =>
  !isOver(run) && deps.crib.flows.cancel(run.id, deps.session.caller);

/** Serves the tasks of 2025-11-25. */
const serveLegacy = (server: Server, deps: ServerDeps): void => {
  server.setRequestHandler('tasks/get', { params: idParams }, async ({ taskId }) => ({
    ...taskOf(await shownState(deps, await ownRun(deps, taskId))),
  }));
  server.setRequestHandler('tasks/result', { params: idParams }, async ({ taskId }, ctx) => {
    const run = await ownRun(deps, taskId);
    const end = await awaitRun(deps, { run, ctx, isPatient: true });
    const reply = endReply(await shownState(deps, end));
    return { ...reply, _meta: { ...reply._meta, [RELATED_TASK]: { taskId } } };
  });
  server.setRequestHandler('tasks/list', { params: listParams }, async ({ cursor }) => {
    const runs = await listOwnRuns(deps.crib, deps.session.caller);
    const { items, next } = pageOf(runs, NEWEST_FIRST, { cursor, limit: PAGE_SIZE });
    const states = await Promise.all(items.map((run) => shownState(deps, run)));
    return { tasks: states.map(taskOf), ...(next !== undefined && { nextCursor: next }) };
  });
  server.setRequestHandler('tasks/cancel', { params: idParams }, async ({ taskId }) => {
    const run = await ownRun(deps, taskId);
    if (!(await cancelRun(deps, run))) {
      throw invalid(deps, `Cannot cancel task: it is over (${run.status})`);
    }
    return { ...taskOf(await shownState(deps, await ownRun(deps, taskId))) };
  });
};

const assertTakesTasks = (deps: ServerDeps, ctx: CallContext): void => {
  if (takesTasks(deps, ctx)) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new deps.sdk.ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', {
    requiredCapabilities,
  });
};

/** Serves the extension of 2026-07-28. */
const serveModern = (server: Server, deps: ServerDeps): void => {
  const runOf = (taskId: string, ctx: ServerContext): Promise<FlowRun> => {
    assertTakesTasks(deps, ctx);
    return ownRun(deps, taskId);
  };
  server.setRequestHandler('tasks/get', { params: idParams }, async ({ taskId }, ctx) => {
    const run = await runOf(taskId, ctx);
    const questions = isOver(run) ? {} : await taskQuestions(deps, ctx, run);
    return { ...detailedTask(await shownState(deps, run), questions) };
  });
  server.setRequestHandler('tasks/update', { params: idParams }, async ({ taskId }, ctx) => {
    const run = await runOf(taskId, ctx);
    // The library has taken the answers out of the parameters.
    await takeAnswers(deps, ctx, { run, answers: ctx.mcpReq.inputResponses ?? {} });
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: idParams }, async ({ taskId }, ctx) => {
    // One that is over stays as it is: the request only tells what the client wants.
    await cancelRun(deps, await runOf(taskId, ctx));
    return {};
  });
};

export const serveTasks = (server: Server, deps: ServerDeps): void =>
  deps.era === 'legacy' ? serveLegacy(server, deps) : serveModern(server, deps);

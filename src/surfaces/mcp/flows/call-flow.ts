/**
 * Serves a `tools/call` of a flow: starts a run as the client, and replies with its output, with a
 * task, or with where the run is found. The run goes on whatever becomes of the client.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { readTrace } from '../../../kit/http/trace-context.ts';
import { keyedRunId } from '../../../kit/text/keyed-run-id.ts';
import type { CallContext } from '../call/call-context.ts';
import { textMeta } from '../call/call-round.ts';
import { type NamedCall, unknownTool } from '../call/own-tools.ts';
import { META } from '../call/tool-reply.ts';
import type { FlowTool, ServerDeps } from '../surface-deps.ts';
import { awaitRun } from './await-run.ts';
import { followSteps, followTask } from './follow-run.ts';
import { findOwnRun, isStuck, stateOf } from './own-runs.ts';
import { endReply, laterReply } from './run-reply.ts';
import { createdTask, isOver, TASKS_EXTENSION, taskReply } from './run-task.ts';

/** Runs that end within this time are not worth a task. */
const SHORT_MS = 1_000;

/** How long a client without tasks is kept waiting; clients rarely give up in less than 60 s. */
const PATIENCE_MS = 25_000;

export interface FlowCall extends NamedCall {
  /** A client of 2025-11-25 wants a task. */
  readonly wantsTask: boolean;
}

/** Tells whether a client of 2026-07-28 declares in this request that it takes a task instead of a result. */
export const takesTasks = (deps: ServerDeps, ctx: CallContext): boolean => {
  const { extensions } = deps.capabilities(ctx);
  return deps.era === 'modern' && isRecord(extensions) && isRecord(extensions[TASKS_EXTENSION]);
};

const startRun = async (
  deps: ServerDeps,
  { flow, input }: FlowTool,
  { args, ctx }: { readonly args: unknown; readonly ctx: CallContext },
): Promise<FlowRun> => {
  const { crib, session } = deps;
  const { caller } = session;
  const key = textMeta(ctx, META.idempotencyKey);
  const { userId = LOCAL_CALLER.userId } = caller;
  const trace = readTrace(textMeta(ctx, 'traceparent'), textMeta(ctx, 'tracestate'));
  const { runId } = await crib.flows.start(flow.name, input.read(args), {
    ...caller,
    ...(trace && { trace }),
    version: flow.version,
    ...(key !== undefined && { runId: keyedRunId({ userId, flow: flow.name, key }) }),
  });
  const run = await findOwnRun(crib, runId, caller);
  if (run) return run;
  throw new ToolFailure('CONFLICT', 'Another client has used this idempotency key.', {
    suggestions: ['Choose another key.'],
  });
};

/**
 * Tells whether the client cancelled the request. One whose connection was closed is not withdrawn.
 */
const isWithdrawn = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && (!(reason instanceof Error) || reason.name === 'AbortError');

const replyOf = async (deps: ServerDeps, run: FlowRun, takesTask: boolean) => {
  const state = await stateOf(deps.crib, run, deps.options.runtime.now());
  if (takesTask && !isOver(run)) return taskReply(state);
  return isOver(run) || isStuck(state) ? endReply(state) : laterReply(state);
};

const awaitReply = async (
  deps: ServerDeps,
  run: FlowRun,
  ctx: CallContext,
): Promise<CallToolResult> => {
  const { runtime } = deps.options;
  const takesTask = takesTasks(deps, ctx);
  const deadline = runtime.now() + (takesTask ? SHORT_MS : PATIENCE_MS);
  const token = ctx.mcpReq._meta?.progressToken;
  const steps = followSteps(deps, { runId: run.id, token }, (notification) =>
    ctx.mcpReq.notify(notification),
  );
  try {
    const latest = await awaitRun(deps, { run, ctx, deadline, isPatient: false });
    if (isWithdrawn(ctx.mcpReq.signal)) await deps.crib.flows.cancel(run.id, deps.session.caller);
    await steps.finish();
    return await replyOf(deps, latest, takesTask);
  } finally {
    steps.stop();
  }
};

/** Answers a call of a flow. Fails with an error of the protocol for one that is not offered. */
export const callFlow = async (
  deps: ServerDeps,
  { name, input, wantsTask }: FlowCall,
  ctx: CallContext,
): Promise<CallToolResult> => {
  const tool = await deps.flows?.find(name);
  if (!tool) throw unknownTool(deps, name);
  const run = await startRun(deps, tool, { args: input, ctx });
  if (!wantsTask || deps.era !== 'legacy') return awaitReply(deps, run, ctx);
  followTask(deps, run, ctx.mcpReq._meta?.progressToken);
  return createdTask(await stateOf(deps.crib, run, deps.options.runtime.now()));
};

/**
 * Serves one `tools/call`: finds the tool behind the name, sends the call through the crib, and
 * puts the question of an approval to the person behind the client where the client can ask.
 */
import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { CallAs, CallOptions } from '../../../contract/call-options.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Telemetry, TraceContext } from '../../../contract/telemetry.ts';
import { readTrace } from '../../../kit/http/trace-context.ts';
import { CALL_TOOL } from '../../../kit/model/meta-tools.ts';
import { type AskRound, canAnswer } from '../client-link.ts';
import { callFlow } from '../flows/call-flow.ts';
import { addressOf } from '../lists/resource-address.ts';
import type { ServerDeps } from '../surface-deps.ts';
import { answerOf, approvalQuestion, elicitApprover, laterApprover } from './approval-question.ts';
import type { CallContext } from './call-context.ts';
import { askClient, askNeeded, laterDigest, openRound, textMeta } from './call-round.ts';
import { askersFor } from './elicit-client.ts';
import type { HeldCall, Reached } from './held-calls.ts';
import {
  callOf,
  isFlow,
  isMetaTool,
  metaReply,
  type NamedCall,
  refusal,
  searchesApi,
  unknownTool,
} from './own-tools.ts';
import { META, toolReply } from './tool-reply.ts';

type Reply = CallToolResult | InputRequiredResult;

/** A call with all that its request brought. */
type Round = NamedCall & AskRound & { readonly held?: HeldCall };

const MCP = 'mcp:';

/** The key of the approval among the answers of a client. */
const APPROVAL = 'toolcrib_approval';

const isUnknown = ({ error }: ToolResult): boolean => error?.code === 'TOOL_NOT_FOUND';

const approverFor = (deps: ServerDeps, ctx: CallContext): Pick<CallAs, 'approver'> => {
  const { session, options, era } = deps;
  if (!deps.canElicit?.(ctx)) return {};
  const approver =
    era === 'legacy' ? elicitApprover(ctx, session, options) : laterApprover(session);
  return { approver };
};

interface Progress {
  readonly onProgress: NonNullable<CallOptions['onProgress']>;
  /** Has to be called when the call is over. */
  readonly stop?: () => void;
}

/** After so long without progress a first step is sent, so that over HTTP a stream opens and stays alive. */
const SILENT_MS = 10_000;

/** Sends progress as the client asked for it: by its token, or as log lines without one. */
const progressOf = (ctx: CallContext, tool: string, runtime: Runtime): Progress => {
  const token = ctx.mcpReq._meta?.progressToken;
  // The client may have gone already; its call is cancelled elsewhere.
  const ignoreFailure = (sending: Promise<void>): void => void sending.catch(() => undefined);
  if (token === undefined) {
    const onProgress: Progress['onProgress'] = (_fraction, note) => {
      if (note !== undefined) ignoreFailure(ctx.mcpReq.log('info', note, tool));
    };
    return { onProgress };
  }
  let last = -1;
  const onProgress: Progress['onProgress'] = (fraction, note) => {
    // The protocol demands that progress grows; other steps are left out.
    if (!(fraction > last)) return;
    last = fraction;
    const message = note === undefined ? {} : { message: note };
    const params = { progressToken: token, progress: fraction, total: 1, ...message };
    ignoreFailure(ctx.mcpReq.notify({ method: 'notifications/progress', params }));
  };
  const timer = runtime.after(SILENT_MS, () => onProgress(0, undefined));
  timer.keepAlive(false);
  return { onProgress, stop: () => timer.cancel() };
};

/** Makes the call a child of a span that is named as the conventions for MCP servers have it. */
const inCallSpan = async (
  telemetry: Telemetry | undefined,
  { name, trace }: { readonly name: string; readonly trace: TraceContext | undefined },
  run: (trace: TraceContext | undefined) => Promise<ToolResult>,
): Promise<ToolResult> => {
  if (!telemetry) return run(trace);
  const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool' };
  const span = telemetry.start('tools/call', { kind: 'server', parent: trace, attributes });
  try {
    const result = await span.run(() => run(span.trace));
    // The name of an unknown tool may be any text, so it stays out of the span.
    const isTool = !isUnknown(result);
    if (isTool) span.rename(`tools/call ${name}`);
    const failed = !result.success && result.status !== 'pending';
    span.end(
      isTool ? { 'gen_ai.tool.name': name } : {},
      failed ? { type: 'tool_error' } : undefined,
    );
    return result;
  } catch (error) {
    span.end({}, { type: 'INTERNAL' });
    throw error;
  }
};

const execute = (
  deps: ServerDeps,
  round: Round,
  approvalId: string | undefined,
): Promise<ToolResult> => {
  const { ctx, name, input, link, held } = round;
  const idempotencyKey = textMeta(ctx, META.idempotencyKey);
  const { onProgress, stop }: Progress = held
    ? { onProgress: held.progress }
    : progressOf(ctx, name, deps.options.runtime);
  const as: CallAs = {
    ...deps.session.caller,
    audience: 'model',
    signal: held?.signal ?? ctx.mcpReq.signal,
    onProgress,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(approvalId !== undefined && { approvalId }),
    ...approverFor(deps, ctx),
    ...(canAnswer(deps, ctx) && askersFor(deps, round)),
  };
  const { aroundCall, runtime } = deps.options;
  const trace = readTrace(textMeta(ctx, 'traceparent'), textMeta(ctx, 'tracestate'));
  const run = () =>
    inCallSpan(runtime.telemetry, { name, trace }, (own) =>
      deps.crib.execute(name, input, own ? { ...as, trace: own } : as),
    );
  const running = aroundCall ? aroundCall(link, run) : run();
  return stop ? running.finally(stop) : running;
};

/** Records the answer that came with this round: the pipeline only reads the record. */
const recordAnswer = async (
  deps: ServerDeps,
  { ctx }: Round,
  approvalId: string,
): Promise<ReturnType<typeof answerOf>> => {
  const answer = answerOf(ctx.mcpReq.inputResponses?.[APPROVAL]);
  if (answer === 'approve' || answer === 'deny') {
    const { by } = deps.session;
    await deps.crib.approvals.decide(approvalId, { approve: answer === 'approve', by });
  }
  return answer;
};

/** Executes the call with the approval that it waited for, if any; as a new call where that has expired. */
const executeWaiting = async (deps: ServerDeps, round: Round): Promise<ToolResult> => {
  const { waiting } = deps.session;
  const named = round.state?.approvalId ?? textMeta(round.ctx, META.approvalId);
  const remembered =
    named === undefined && waiting.size > 0 ? waiting.get(round.digest()) : undefined;
  const result = await execute(deps, round, named ?? remembered);
  if (result.approval) waiting.set(round.digest(), result.approval.approvalId);
  else if (waiting.size > 0) waiting.delete(round.digest());
  if (remembered === undefined || result.error?.code !== 'APPROVAL_EXPIRED') return result;
  const again = await execute(deps, round, undefined);
  if (again.approval) waiting.set(round.digest(), again.approval.approvalId);
  return again;
};

/** Asks in the reply, if clients of this protocol are asked that way and the question can be shown. */
const askByReply = async (
  deps: ServerDeps,
  round: Round,
  approvalId: string,
): Promise<Reply | undefined> => {
  if (deps.era !== 'modern' || !deps.canElicit?.(round.ctx)) return undefined;
  const record = await deps.crib.approvals.get(approvalId);
  const question = record && approvalQuestion(record.request, deps.options);
  if (!question) return undefined;
  return askClient(deps, round, {
    inputRequests: { [APPROVAL]: deps.sdk.inputRequired.elicit(question) },
    approvalId,
  });
};

/** Returns the name of the server that a tool comes from. */
const serverOf = ({ crib }: ServerDeps, name: string): string | undefined => {
  const server = crib.tools.get(name)?.tool.server;
  return server?.startsWith(MCP) ? server.slice(MCP.length) : undefined;
};

/** Rewrites links to resources of a server so that they are read through this surface. */
const readableReply = (deps: ServerDeps, { name }: Round, result: ToolResult): CallToolResult => {
  const reply = toolReply(result);
  if (!reply.content.some(({ type }) => type === 'resource_link')) return reply;
  const server = serverOf(deps, name);
  if (server === undefined) return reply;
  const content = reply.content.map((block) =>
    block.type === 'resource_link' ? { ...block, uri: addressOf(server, block.uri) } : block,
  );
  return { ...reply, content };
};

/** Makes the call, or continues the held one that asked its client something (2026-07-28). */
const startOrContinue = async (deps: ServerDeps, round: Round): Promise<Reached> => {
  const { ctx, name, state } = round;
  const mayHold = deps.era === 'modern' && canAnswer(deps, ctx);
  if (!mayHold && state?.held === undefined) {
    return { result: await executeWaiting(deps, round), round };
  }
  const { onProgress, stop } = progressOf(ctx, name, deps.options.runtime);
  const asking = { round, binding: deps.session.binding, onProgress };
  try {
    return await (state?.held === undefined
      ? deps.held.start(asking, (held) => executeWaiting(deps, { ...round, held }))
      : deps.held.resume(state.held, asking));
  } finally {
    stop?.();
  }
};

const replyTo = async (deps: ServerDeps, started: Round): Promise<Reply> => {
  const approvalId = started.state?.approvalId;
  const answer =
    approvalId === undefined ? undefined : await recordAnswer(deps, started, approvalId);
  const reached = await startOrContinue(deps, started);
  if ('id' in reached) {
    return askClient(deps, started, { inputRequests: { ...reached.questions }, held: reached.id });
  }
  const { result } = reached;
  const round: Round = { ...started, ...reached.round };
  if (isUnknown(result)) throw unknownTool(deps, round.name);
  const needed = result.success ? undefined : await askNeeded(deps, round);
  if (needed) return needed;
  if (!result.approval || answer === 'later') return readableReply(deps, round, result);
  return (await askByReply(deps, round, result.approval.approvalId)) ?? toolReply(result);
};

/** Answers one `tools/call`. Fails with an error of the protocol for an unknown tool. */
export const callTool = async (
  deps: ServerDeps,
  { params }: CallToolRequest,
  ctx: CallContext,
): Promise<Reply> => {
  const requested: NamedCall = { name: params.name, input: params.arguments ?? {} };
  try {
    const isOwn = isMetaTool(deps.kind, requested.name) && requested.name !== CALL_TOOL.name;
    if (isOwn && !searchesApi(deps, requested.name)) return metaReply(deps, requested);
    if (isFlow(deps, requested.name)) {
      return await callFlow(deps, { ...requested, wantsTask: params.task !== undefined }, ctx);
    }
    const call = callOf(deps, requested);
    const round = openRound(deps, ctx, laterDigest(call.name, call.input));
    return await replyTo(deps, { ...call, ...round });
  } catch (error) {
    return refusal(error);
  }
};

/**
 * One `tools/call`: finds the tool behind the name, sends the call through the crib, and turns a
 * question for a person into one for the person behind the client, where the client can ask.
 */
import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { CallAs } from '../../../contract/call-options.ts';
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import type { ToolResult } from '../../../contract/result.ts';
import { answerMeta, CALL_TOOL, innerCall } from '../../../kit/model/meta-tools.ts';
import { isMetaTool, metaSite } from '../lists/meta-tools.ts';
import type { ServerSite } from '../server-site.ts';
import { answerOf, approvalQuestion } from './approval-question.ts';
import { type AskRound, askClient, askNeeded, openRound } from './ask-round.ts';
import type { CallContext } from './call-context.ts';
import { laterDigest } from './call-digest.ts';
import { elicitApprover, laterApprover } from './elicit-approver.ts';
import { progressOf } from './progress.ts';
import { META, toolReply } from './tool-reply.ts';

type Reply = CallToolResult | InputRequiredResult;

interface Wanted {
  readonly name: string;
  readonly input: unknown;
}

/** A call on its way, with all that its request brought along. */
type Round = Wanted & AskRound;

/** The key of the question among the answers of a client. */
const APPROVAL = 'toolcrib_approval';

const textMeta = (ctx: CallContext, key: string): string | undefined => {
  const meta = ctx.mcpReq._meta ?? {};
  const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
  return typeof value === 'string' ? value : undefined;
};

const isUnknown = ({ error }: ToolResult): boolean => error?.code === 'TOOL_NOT_FOUND';

const approverFor = (site: ServerSite, ctx: CallContext): Pick<CallAs, 'approver'> => {
  const { session, options, era } = site;
  if (!site.canElicit(ctx)) return {};
  const approver =
    era === 'legacy' ? elicitApprover(ctx, session, options) : laterApprover(session);
  return { approver };
};

const execute = (
  site: ServerSite,
  round: Round,
  approvalId: string | undefined,
): Promise<ToolResult> => {
  const { ctx, name, input, link } = round;
  const idempotencyKey = textMeta(ctx, META.idempotencyKey);
  const { onProgress, stop } = progressOf(ctx, name, site.options.runtime);
  const as: CallAs = {
    ...site.session.caller,
    audience: 'model',
    signal: ctx.mcpReq.signal,
    onProgress,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(approvalId !== undefined && { approvalId }),
    ...approverFor(site, ctx),
  };
  const run = () => site.crib.execute(name, input, as);
  const { aroundCall } = site.options;
  const running = aroundCall ? aroundCall(link, run) : run();
  return stop ? running.finally(stop) : running;
};

/** Puts the answer that came with this round on record: from there on only the record counts. */
const takeAnswer = async (
  site: ServerSite,
  { ctx }: Round,
  approvalId: string,
): Promise<ReturnType<typeof answerOf>> => {
  const answer = answerOf(ctx.mcpReq.inputResponses?.[APPROVAL]);
  if (answer === 'approve' || answer === 'deny') {
    const { by } = site.session;
    await site.crib.approvals.decide(approvalId, { approve: answer === 'approve', by });
  }
  return answer;
};

/** With the approval this call waited for, if it did; that one being over, it is a new call. */
const executeWaiting = async (site: ServerSite, round: Round): Promise<ToolResult> => {
  const { waiting } = site.session;
  const named = round.state?.approvalId ?? textMeta(round.ctx, META.approvalId);
  const remembered =
    named === undefined && !waiting.isEmpty ? waiting.get(round.digest()) : undefined;
  const result = await execute(site, round, named ?? remembered);
  if (result.approval) waiting.set(round.digest(), result.approval.approvalId);
  else if (!waiting.isEmpty) waiting.delete(round.digest());
  if (remembered === undefined || result.error?.code !== 'APPROVAL_EXPIRED') return result;
  const again = await execute(site, round, undefined);
  if (again.approval) waiting.set(round.digest(), again.approval.approvalId);
  return again;
};

/** The question as part of the reply, where this client is asked that way and it can be shown. */
const askByReply = async (
  site: ServerSite,
  round: Round,
  approvalId: string,
): Promise<Reply | undefined> => {
  if (site.era !== 'modern' || !site.canElicit(round.ctx)) return undefined;
  const record = await site.crib.approvals.get(approvalId);
  const question = record && approvalQuestion(record.request, site.options);
  if (!question) return undefined;
  return askClient(site, round, {
    inputRequests: { [APPROVAL]: site.sdk.inputRequired.elicit(question) },
    approvalId,
  });
};

const replyTo = async (site: ServerSite, round: Round): Promise<Reply> => {
  const asked = round.state?.approvalId;
  const answer = asked === undefined ? undefined : await takeAnswer(site, round, asked);
  const result = await executeWaiting(site, round);
  if (isUnknown(result)) throw unknownTool(site, round.name);
  const needed = result.success ? undefined : await askNeeded(site, round);
  if (needed) return needed;
  if (!result.approval || answer === 'later') return toolReply(result);
  return (await askByReply(site, round, result.approval.approvalId)) ?? toolReply(result);
};

const unknownTool = (site: ServerSite, name: string): Error => {
  const { ProtocolError, ProtocolErrorCode } = site.sdk;
  const close = site.kind === 'full' ? site.crib.tools.suggest(name) : [];
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool', {
    code: 'TOOL_NOT_FOUND',
    ...(close.length > 0 && { suggestions: close }),
  });
};

const metaReply = (site: ServerSite, { name, input }: Wanted): CallToolResult => {
  const data = answerMeta(metaSite(site.crib), name, input);
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: { ...data },
  };
};

/** Bad input of the surface's own tools is for the model to correct, like that of any other. */
const refusal = (error: unknown): CallToolResult => {
  if (!(error instanceof ToolFailure)) throw error;
  const { code, message, extras } = error;
  const { issues = [], suggestions } = toolError(code, message, extras);
  const lines = [
    `${code}: ${message}`,
    ...issues.map(({ path, message: what }) => `- ${path.join('.')}: ${what}`),
    ...suggestions.map((each) => `- ${each}`),
  ];
  return {
    content: [{ type: 'text', text: lines.join('\n') }],
    isError: true,
    _meta: { [META.code]: code },
  };
};

/** The call behind the request. Only what the surface lists can be called by its own name. */
const wantedOf = (site: ServerSite, { name, input }: Wanted): Wanted => {
  if (name === CALL_TOOL.name && isMetaTool(site.kind, name)) return innerCall(input);
  // An unknown name of the full surface goes on: the attempt belongs on record.
  if (site.kind !== 'full' && !site.tools.entry(name)) throw unknownTool(site, name);
  return { name, input };
};

export const callTool = async (
  site: ServerSite,
  { params }: CallToolRequest,
  ctx: CallContext,
): Promise<Reply> => {
  const asked: Wanted = { name: params.name, input: params.arguments ?? {} };
  try {
    if (isMetaTool(site.kind, asked.name) && asked.name !== CALL_TOOL.name)
      return metaReply(site, asked);
    const wanted = wantedOf(site, asked);
    const round = openRound(site, ctx, laterDigest(wanted.name, wanted.input));
    return await replyTo(site, { ...wanted, ...round });
  } catch (error) {
    return refusal(error);
  }
};

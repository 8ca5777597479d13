/** Approvals that a run waits for, put to the person behind the client that started it. */
import type { ApprovalRecord } from '../../../contract/approver.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { answerOf, approvalQuestion } from '../call/approval-question.ts';
import type { CallContext } from '../call/call-context.ts';
import type { ServerDeps } from '../surface-deps.ts';
import { awaitedApprovals } from './own-runs.ts';
import { RELATED_TASK, type TaskQuestions } from './run-task.ts';

const MAX_DELAY = 2_147_483_647;

/** Reads the questions that are still open. */
export const openApprovals = async (
  crib: Crib,
  run: FlowRun,
): Promise<readonly ApprovalRecord[]> => {
  const ids = await awaitedApprovals(crib, run);
  const records = await Promise.all(ids.map((id) => crib.approvals.get(id)));
  return records.flatMap((record) => (record?.state === 'waiting' ? [record] : []));
};

/** Records an answer of the client. Anything but a clear yes or no leaves the question open. */
const decide = async (
  { crib, session }: ServerDeps,
  approvalId: string,
  response: unknown,
): Promise<void> => {
  const answer = answerOf(response);
  if (answer !== 'approve' && answer !== 'deny') return;
  await crib.approvals.decide(approvalId, { approve: answer === 'approve', by: session.by });
};

/**
 * Makes a signal that fires with the request that waits, and when the question is answered
 * elsewhere.
 */
const untilDecided = ({ crib }: ServerDeps, ctx: CallContext, approvalId: string) => {
  const decided = new AbortController();
  const stop = crib.events.on('approval.decided', (event) => {
    if (event.approvalId === approvalId) decided.abort(new Error('The question is answered.'));
  });
  return { signal: AbortSignal.any([decided.signal, ctx.mcpReq.signal]), stop };
};

/**
 * Asks a client of the 2025 protocols while its request waits. A client that fails to ask leaves the
 * question in the inbox.
 */
export const askApproval = async (
  deps: ServerDeps,
  ctx: CallContext,
  { record, runId }: { readonly record: ApprovalRecord; readonly runId: string },
): Promise<void> => {
  const question = approvalQuestion(record.request, deps.options);
  if (!question) return;
  const left = record.request.expiresAt - deps.options.runtime.now();
  const timeout = Math.min(Math.max(left, 1), MAX_DELAY);
  const { signal, stop } = untilDecided(deps, ctx, record.id);
  try {
    const related = { ...question, _meta: { [RELATED_TASK]: { taskId: runId } } };
    const options = { signal, timeout, relatedRequestId: ctx.mcpReq.id };
    await decide(deps, record.id, await ctx.mcpReq.elicitInput(related, options));
  } catch (error) {
    const { log } = deps.options.runtime;
    log.debug('a client did not answer a question', { cause: String(error) });
  } finally {
    stop();
  }
};

/** Words the open questions for a client of 2026-07-28, each under the id of its approval. */
export const taskQuestions = async (
  deps: ServerDeps,
  ctx: CallContext,
  run: FlowRun,
): Promise<TaskQuestions> => {
  if (!deps.canElicit?.(ctx)) return {};
  const questions = (await openApprovals(deps.crib, run)).flatMap((record) => {
    const question = approvalQuestion(record.request, deps.options);
    return question ? [[record.id, deps.sdk.inputRequired.elicit(question)] as const] : [];
  });
  return Object.fromEntries(questions);
};

/** Takes the answers of a client of 2026-07-28; those to anything but open questions are ignored. */
export const takeAnswers = async (
  deps: ServerDeps,
  ctx: CallContext,
  { run, answers }: { readonly run: FlowRun; readonly answers: Readonly<Record<string, unknown>> },
): Promise<void> => {
  if (!deps.canElicit?.(ctx)) return;
  for (const { id } of await openApprovals(deps.crib, run)) {
    if (Object.hasOwn(answers, id)) await decide(deps, id, answers[id]);
  }
};

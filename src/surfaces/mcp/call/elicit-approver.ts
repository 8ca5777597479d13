/** Asks the person behind a client of the 2025 protocols, while the call waits. */
import type { Approver } from '../../../contract/approver.ts';
import type { McpSurfaceOptions } from '../mcp-options.ts';
import type { McpSession } from '../session.ts';
import { answerOf, approvalQuestion } from './approval-question.ts';
import type { CallContext } from './call-context.ts';

/** The longest a Node timer can run. */
const MAX_DELAY = 2_147_483_647;

export const elicitApprover = (
  ctx: CallContext,
  session: McpSession,
  options: Pick<McpSurfaceOptions, 'describe' | 'runtime'>,
): Approver => ({
  ask: async (request, signal) => {
    const { by } = session;
    const question = approvalQuestion(request, options);
    if (!question) return { answer: 'later', by };
    const left = request.expiresAt - options.runtime.now();
    const timeout = Math.min(Math.max(left, 1), MAX_DELAY);
    const response = await ctx.mcpReq.elicitInput(question, { signal, timeout });
    return { answer: answerOf(response) ?? 'deny', by };
  },
});

/** For clients that are asked by the reply: the call is left waiting until they answer. */
export const laterApprover = ({ by }: McpSession): Approver => ({
  ask: async () => ({ answer: 'later', by }),
});

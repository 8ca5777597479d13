/** Asks the person behind an MCP client for an approval, and reads the answer. */
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { ApprovalRequest, Approver, Decision } from '../../../contract/approver.ts';
import type { McpSurfaceOptions } from '../mcp-options.ts';
import type { McpSession } from '../session.ts';
import type { CallContext } from './call-context.ts';

/** A longer question cannot be judged in a dialogue of a client: it waits in the inbox. */
const MAX_CHARS = 16_000;
/** The same for a question with more lines. */
const MAX_LINES = 200;

const SCHEMA: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    approve: {
      type: 'boolean',
      title: 'Approve this call',
      description: 'Tick it to let this very call run once. Anything else is a no.',
      default: false,
    },
  },
  required: ['approve'],
};

/** Makes one code block of a text, because a client that renders Markdown could hide or link parts of it. */
export const asCode = (text: string): string => {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}text\n${text}\n${fence}`;
};

/** Words the question; `undefined` when it cannot be shown whole. */
export const approvalQuestion = (
  request: ApprovalRequest,
  { describe, runtime }: Pick<McpSurfaceOptions, 'describe' | 'runtime'>,
): ElicitRequestFormParams | undefined => {
  const text = describe?.(request, runtime.now());
  if (text === undefined || text.length > MAX_CHARS) return undefined;
  if (text.split('\n').length > MAX_LINES) return undefined;
  const message = `A tool call needs your approval.\n\n${asCode(text)}`;
  return { mode: 'form', message, requestedSchema: SCHEMA };
};

/** Reads an answer: only an accepted form with a plain `true` is a yes; a cancelled form is no answer. */
export const answerOf = (response: unknown): Decision['answer'] | undefined => {
  if (typeof response !== 'object' || response === null) return undefined;
  const { action, content } = response as { action?: unknown; content?: unknown };
  if (action === 'cancel') return 'later';
  if (action === 'decline') return 'deny';
  if (action !== 'accept') return undefined;
  const isYes =
    typeof content === 'object' &&
    content !== null &&
    Object.hasOwn(content, 'approve') &&
    (content as { approve?: unknown }).approve === true;
  return isYes ? 'approve' : 'deny';
};

/** The longest a Node timer can run. */
const MAX_DELAY = 2_147_483_647;

/** Asks the person behind a client of the 2025 protocols, while the call waits. */
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
    // On the stream of its request: an HTTP client need not have opened one of its own.
    const relatedRequestId = ctx.mcpReq.id;
    const response = await ctx.mcpReq.elicitInput(question, { signal, timeout, relatedRequestId });
    return { answer: answerOf(response) ?? 'deny', by };
  },
});

/** Leaves the question open, for clients that are asked in the reply to their request. */
export const laterApprover = ({ by }: McpSession): Approver => ({
  ask: async () => ({ answer: 'later', by }),
});

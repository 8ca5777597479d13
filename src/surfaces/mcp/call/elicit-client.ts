/**
 * Puts a question of a server behind the crib to the person behind a client of the 2025 protocols. It
 * says who asks, and stands in a code block: it must not look like a question of Toolcrib itself.
 */
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { Elicit, ElicitationAnswer } from '../../../contract/elicitation.ts';
import { asCode } from './approval-question.ts';
import type { CallContext } from './call-context.ts';

const MAX_WAIT_MS = 300_000;
const MAX_SHOWN = 16_000;
const DECLINED: ElicitationAnswer = { action: 'decline' };

const isAction = (action: unknown): action is ElicitationAnswer['action'] =>
  action === 'accept' || action === 'decline' || action === 'cancel';

/** Only what was asked for goes to the server. */
const contentOf = (content: unknown, asked: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries((content ?? {}) as NonNullable<ElicitationAnswer['content']>).filter(([name]) =>
      Object.hasOwn(asked, name),
    ),
  );

export const elicitClient =
  (ctx: CallContext): Elicit =>
  async ({ server, message, schema }, signal) => {
    if (message.length > MAX_SHOWN) return DECLINED;
    const text = `The MCP server ${JSON.stringify(server)} asks you something. What you enter is sent to it; it approves no call.\n\n${asCode(message)}`;
    const question: ElicitRequestFormParams = {
      mode: 'form',
      message: text,
      requestedSchema: schema as ElicitRequestFormParams['requestedSchema'],
    };
    const { action, content } = await ctx.mcpReq.elicitInput(question, {
      signal,
      timeout: MAX_WAIT_MS,
    });
    if (!isAction(action)) return DECLINED;
    const asked = (schema.properties ?? {}) as Readonly<Record<string, unknown>>;
    return action === 'accept' ? { action, content: contentOf(content, asked) } : { action };
  };

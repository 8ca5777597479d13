/**
 * Puts questions of servers behind the crib to the client that made the call: a form or a page for
 * its person, a prompt for its model. A form says who asks and shows the question in a code block,
 * because it must not look like a question of Toolcrib itself.
 */
import { randomUUID } from 'node:crypto';
import type {
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  InputRequest,
} from '@modelcontextprotocol/server';
import type { CallAs } from '../../../contract/call-options.ts';
import type {
  Elicit,
  Elicitation,
  ElicitationAnswer,
  ElicitUrl,
  UrlElicitation,
} from '../../../contract/elicitation.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Sample } from '../../../contract/sampling.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { visibleBlock, visibleText } from '../../../kit/text/visible-text.ts';
import { takesSampling, takesUrls } from '../client-link.ts';
import type { ServerDeps } from '../surface-deps.ts';
import { asCode } from './approval-question.ts';
import type { CallContext } from './call-context.ts';
import { type HeldCall, MAX_WAIT_MS } from './held-calls.ts';

const MAX_SHOWN = 16_000;
const DECLINED: ElicitationAnswer = { action: 'decline' };

/** Asks the client one thing; resolves with its raw result. */
type AskClient = (request: InputRequest, signal: AbortSignal) => Promise<unknown>;

const isAction = (action: unknown): action is ElicitationAnswer['action'] =>
  action === 'accept' || action === 'decline' || action === 'cancel';

/** Keeps the fields that were asked for. */
const contentOf = (content: unknown, fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries((content ?? {}) as NonNullable<ElicitationAnswer['content']>).filter(([name]) =>
      Object.hasOwn(fields, name),
    ),
  );

/** Makes the texts of a schema safe to show; the names of its fields stay the same. */
const readable = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(readable);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const isShown = (key === 'title' || key === 'description') && typeof value === 'string';
      return [key, isShown ? visibleText(value) : readable(value)];
    }),
  );
};

/** Words the form; nothing when it cannot be shown whole. */
const formOf = ({ server, message, schema }: Elicitation): ElicitRequestFormParams | undefined => {
  const shown = visibleBlock(message);
  const requestedSchema = readable(schema) as ElicitRequestFormParams['requestedSchema'];
  if (shown.length + JSON.stringify(requestedSchema).length > MAX_SHOWN) return undefined;
  const text = `The MCP server ${JSON.stringify(server)} asks you something. What you enter is sent to it; it approves no call.\n\n${asCode(shown)}`;
  return { mode: 'form', message: text, requestedSchema };
};

const answerOf = (response: unknown, schema: Elicitation['schema']): ElicitationAnswer => {
  const { action, content } = isRecord(response) ? response : {};
  if (!isAction(action)) return DECLINED;
  const fields = isRecord(schema.properties) ? schema.properties : {};
  return action === 'accept' ? { action, content: contentOf(content, fields) } : { action };
};

/** Puts questions of servers to the person behind a client. */
const elicitClient =
  (ask: AskClient): Elicit =>
  async (question, signal) => {
    const params = formOf(question);
    if (!params) return DECLINED;
    return answerOf(await ask({ method: 'elicitation/create', params }, signal), question.schema);
  };

/** Words the request to open a page; nothing when it cannot be shown whole. */
const pageOf = ({ server, message, url }: UrlElicitation): ElicitRequestURLParams | undefined => {
  const shown = visibleBlock(message);
  if (shown.length + url.length > MAX_SHOWN) return undefined;
  const { host } = new URL(url);
  const text = `The MCP server ${JSON.stringify(server)} asks you to open a page of ${host}. What you enter there is not seen by Toolcrib; it approves no call.\n\n${asCode(shown)}`;
  return { mode: 'url', message: text, url, elicitationId: randomUUID() };
};

/** Asks the person behind a client to open pages for servers. */
const elicitUrlByClient =
  (ask: AskClient): ElicitUrl =>
  async (question, signal) => {
    const params = pageOf(question);
    if (!params) return DECLINED;
    const { action } = answerOf(await ask({ method: 'elicitation/create', params }, signal), {});
    return { action };
  };

/** Puts prompts of servers to the model of a client. */
const sampleClient =
  (ask: AskClient): Sample =>
  async ({ params }, signal) => {
    const request = { method: 'sampling/createMessage', params: { ...params } } as InputRequest;
    const answer = await ask(request, signal);
    if (isRecord(answer) && isRecord(answer.content) && answer.role === 'assistant') return answer;
    throw new ToolFailure('PRECONDITION_FAILED', 'The client did not let its model answer.');
  };

/** Asks a client of the 2025 protocols while the call waits. */
const asksAtOnce =
  ({ mcpReq }: CallContext): AskClient =>
  ({ method, params }, signal) => {
    const options = { signal, timeout: MAX_WAIT_MS, relatedRequestId: mcpReq.id };
    return method === 'elicitation/create'
      ? mcpReq.elicitInput(params, options)
      : mcpReq.send({ method, params: { ...params } }, options);
  };

/**
 * Returns the ways in which servers can ask the client of a call. `held` is the call that can wait
 * between two requests of a client of the 2026-07-28 protocol.
 */
export const askersFor = (
  deps: ServerDeps,
  { ctx, held }: { readonly ctx: CallContext; readonly held?: HeldCall },
): Pick<CallAs, 'elicit' | 'elicitUrl' | 'sample'> => {
  const ask: AskClient = held ? (request, signal) => held.ask(request, signal) : asksAtOnce(ctx);
  const declared = deps.capabilities(ctx);
  return {
    ...(deps.takesForms(ctx) && { elicit: elicitClient(ask) }),
    ...(takesUrls(declared) && { elicitUrl: elicitUrlByClient(ask) }),
    ...(takesSampling(declared) && { sample: sampleClient(ask) }),
  };
};

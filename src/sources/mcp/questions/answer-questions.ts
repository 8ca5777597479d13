/**
 * Answers questions of a server: asks the person behind the running call, or the approver. Questions
 * for a credential are declined.
 */
import type { Client } from '@modelcontextprotocol/client';
import type { ElicitationAnswer } from '../../../contract/elicitation.ts';
import type { RunningCalls } from '../call/running-calls.ts';
import type { McpDeps, ServerSettings } from '../server-settings.ts';
import { contentOf } from './elicit-by-approver.ts';
import { sensitivePart } from './sensitive-question.ts';

export interface QuestionDeps {
  readonly settings: ServerSettings;
  readonly deps: McpDeps;
}

/** Questions of one server that may wait for an answer at once. */
const MAX_OPEN = 5;

const DECLINED: ElicitationAnswer = { action: 'decline' };

/** Declines, with the reason in the metadata and the log: the protocol has no field for it. */
const declineBecause = (
  reason: string,
  { settings: { name }, deps: { runtime } }: QuestionDeps,
) => {
  runtime.log.warn('A question of an MCP server was declined', { server: name, reason });
  return { ...DECLINED, _meta: { 'toolcrib/reason': reason } };
};

const reasonFor = ({ size }: RunningCalls): string =>
  size > 1
    ? 'several calls run on this server, and it is not known whose person is meant'
    : 'nobody can be asked: neither the client of the call nor an approver';

/** Sends only requested fields, with values of the types that the protocol allows. */
const checkAnswer = ({ action, content }: ElicitationAnswer, schema: Record<string, unknown>) => {
  if (action !== 'accept') return { action };
  const allowed = contentOf(content ?? {}, schema);
  return allowed ? { action, content: allowed } : { action: 'cancel' as const };
};

export const answerQuestions = (
  client: Client,
  calls: RunningCalls,
  questionDeps: QuestionDeps,
): void => {
  const { settings, deps } = questionDeps;
  let open = 0;
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    if (!('requestedSchema' in params)) {
      return declineBecause('only forms are supported, not pages', questionDeps);
    }
    const { message, requestedSchema } = params;
    const schema = requestedSchema as Record<string, unknown>;
    const part = sensitivePart({ message, schema }, deps);
    if (part !== undefined) {
      return declineBecause(`credentials are not asked for in a form: ${part}`, questionDeps);
    }
    const question = { server: settings.name, message, schema };
    const ask = calls.only?.elicit;
    const { elicit } = deps;
    if (!ask && !elicit) return declineBecause(reasonFor(calls), questionDeps);
    if (open >= MAX_OPEN) return declineBecause('too many of its questions are open', questionDeps);
    open += 1;
    try {
      const pending = ask ? ask(question) : elicit?.(question, mcpReq.signal);
      // A failure to ask counts as a refusal.
      return checkAnswer((await pending?.catch(() => undefined)) ?? DECLINED, schema);
    } finally {
      open -= 1;
    }
  });
};

/**
 * Questions of a server to a person: put to the one behind the call that runs, or to the approver.
 * What asks for a credential is put to nobody.
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

/** Questions of one server that wait for an answer at once. */
const MAX_OPEN = 5;

const DECLINED: ElicitationAnswer = { action: 'decline' };

/** Why nobody was asked: the protocol has no field for it, so it goes along as metadata, and to the log. */
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

/** Only what was asked for, in the kinds of values that the protocol has, goes to the server. */
const checked = ({ action, content }: ElicitationAnswer, schema: Record<string, unknown>) => {
  if (action !== 'accept') return { action };
  const given = contentOf(content ?? {}, schema);
  return given ? { action, content: given } : { action: 'cancel' as const };
};

export const answerQuestions = (client: Client, calls: RunningCalls, site: QuestionDeps): void => {
  const { settings, deps } = site;
  let open = 0;
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    if (!('requestedSchema' in params)) {
      return declineBecause('only forms are supported, not pages', site);
    }
    const { message, requestedSchema } = params;
    const schema = requestedSchema as Record<string, unknown>;
    const part = sensitivePart({ message, schema }, deps);
    if (part !== undefined) {
      return declineBecause(`credentials are not asked for in a form: ${part}`, site);
    }
    const question = { server: settings.name, message, schema };
    const ask = calls.only?.elicit;
    const { elicit } = deps;
    if (!ask && !elicit) return declineBecause(reasonFor(calls), site);
    if (open >= MAX_OPEN) return declineBecause('too many of its questions are open', site);
    open += 1;
    try {
      const asked = ask ? ask(question) : elicit?.(question, mcpReq.signal);
      // Whoever cannot be asked has not agreed.
      return checked((await asked?.catch(() => undefined)) ?? DECLINED, schema);
    } finally {
      open -= 1;
    }
  });
};

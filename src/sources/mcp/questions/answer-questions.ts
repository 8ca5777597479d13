/**
 * Questions of a server to a person: put to the one behind the call that the question belongs to, or to
 * the approver. A form that asks for a credential is put to nobody. Pages are for clients alone.
 */
import type { Client, ElicitRequestURLParams } from '@modelcontextprotocol/client';
import type { ElicitationAnswer } from '../../../contract/elicitation.ts';
import { parseUrl } from '../../../kit/http/parse-url.ts';
import { linkOf } from '../call/question-link.ts';
import type { RunningCall, RunningCalls } from '../call/running-calls.ts';
import type { McpDeps, ServerSettings } from '../server-settings.ts';
import { contentOf } from './elicit-by-approver.ts';
import { sensitivePart } from './sensitive-question.ts';

export interface QuestionDeps {
  readonly settings: ServerSettings;
  readonly deps: McpDeps;
}

/** Questions of one server that may wait at once for answers of one user. */
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

const UNKNOWN_CALLER =
  'several calls of different callers run on this server, and it is not known whose person is meant';

/** Sends only requested fields, with values of the types that the protocol allows. */
const checkAnswer = ({ action, content }: ElicitationAnswer, schema: Record<string, unknown>) => {
  if (action !== 'accept') return { action };
  const allowed = contentOf(content ?? {}, schema);
  return allowed ? { action, content: allowed } : { action: 'cancel' as const };
};

const MAX_URL = 4096;
/** Narrower than `isLoopback`: what listens at other addresses of 127/8 is hardly meant for a browser. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Says why nobody is asked to open an address; the client shows it to the person before it opens it. */
const addressFault = (address: string): string | undefined => {
  const url = address.length <= MAX_URL ? parseUrl(address) : undefined;
  if (!url) return 'the address of the page is no URL';
  const isLocal = url.protocol === 'http:' && LOOPBACK.has(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) return 'the address of the page is not https';
  // `https://bank.example@evil.example` reads like a page of the bank.
  return url.username || url.password ? 'the address of the page has a user name' : undefined;
};

interface AskedAbout {
  readonly deps: QuestionDeps;
  readonly calls: RunningCalls;
  /** The call that the question belongs to, where that is known. */
  readonly call: RunningCall | undefined;
}

type Ask = (signal: AbortSignal) => Promise<ElicitationAnswer>;

/** How to put a question to somebody, or why it is put to nobody. */
type Route = { readonly ask: Ask } | { readonly fault: string };

/** Says why nobody is asked: `reason`, or that it is not known who is meant. */
const nobody = ({ call, calls }: AskedAbout, reason: string): Route => ({
  fault: !call && calls.size > 1 ? UNKNOWN_CALLER : reason,
});

const urlRoute = ({ message, url }: ElicitRequestURLParams, about: AskedAbout): Route => {
  const fault = addressFault(url);
  if (fault !== undefined) return { fault };
  const elicitUrl = about.call?.askers.elicitUrl;
  if (!elicitUrl) return nobody(about, 'the client of the call cannot open pages (URL mode)');
  const question = { server: about.deps.settings.name, message, url: new URL(url).href };
  return { ask: async () => ({ action: (await elicitUrl(question)).action }) };
};

interface Form {
  readonly message: string;
  readonly schema: Record<string, unknown>;
}

const formRoute = ({ message, schema }: Form, about: AskedAbout): Route => {
  const { settings, deps } = about.deps;
  const part = sensitivePart({ message, schema }, deps);
  if (part !== undefined) return { fault: `credentials are not asked for in a form: ${part}` };
  const question = { server: settings.name, message, schema };
  const ask = about.call?.askers.elicit;
  const { elicit } = deps;
  const answer = async (asked: Promise<ElicitationAnswer>) => checkAnswer(await asked, schema);
  if (ask) return { ask: () => answer(ask(question)) };
  if (elicit) return { ask: (signal) => answer(elicit(question, signal)) };
  return nobody(about, 'nobody can be asked: neither the client of the call nor an approver');
};

/** Answers the questions of a server as long as it is connected. */
export const answerQuestions = (client: Client, calls: RunningCalls, deps: QuestionDeps): void => {
  /** Open questions by user, so that one user's do not keep the server from asking another. */
  const open = new Map<string | undefined, number>();
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const isForm = 'requestedSchema' in params;
    const call = calls.askedBy(linkOf(mcpReq._meta), isForm ? 'elicit' : 'elicitUrl');
    const about = { deps, calls, call };
    const route = isForm
      ? formRoute({ message: params.message, schema: { ...params.requestedSchema } }, about)
      : urlRoute(params, about);
    if ('fault' in route) return declineBecause(route.fault, deps);
    const user = call && (call.caller.authenticated?.userId ?? call.caller.userId);
    const others = open.get(user) ?? 0;
    if (others >= MAX_OPEN) return declineBecause('too many of its questions are open', deps);
    open.set(user, others + 1);
    try {
      // A person who cannot be asked has not agreed.
      return { ...(await route.ask(mcpReq.signal).catch(() => DECLINED)) };
    } finally {
      const left = (open.get(user) ?? 1) - 1;
      if (left > 0) open.set(user, left);
      else open.delete(user);
    }
  });
};

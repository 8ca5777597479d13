/**
 * Finds the route of a request and runs the request through it: lets its sender in, parses the
 * input, calls the handler.
 */
import { createHash } from 'node:crypto';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { z } from 'zod';
import { ToolFailure } from '../../contract/errors.ts';
import { type Answer, JSON_HEADERS, type PlainAnswer } from '../door/answer.ts';
import type { HttpRequest } from '../door/http-request.ts';
import { type BodyFault, readBody } from '../door/read-body.ts';
import { type AdmitDeps, admit } from './auth/admit.ts';
import type { Identity } from './auth/identity.ts';
import { failure, type Refusal, refusal } from './error-reply.ts';
import { createStaticFiles } from './pages/static-files.ts';
import { requestIssues } from './request-issues.ts';
import type { Replied, Route } from './route.ts';
import { ROUTES } from './routes/route-table.ts';

interface RoutedRequest {
  readonly request: HttpRequest;
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
}

export interface RouterDeps extends AdmitDeps {
  readonly bodyBytes: number;
}

interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

type RouteFinder = (method: string, path: string) => FoundRoute | undefined;

/** Decodes the parameters; returns undefined for invalid encoding. */
const decoded = (
  names: Readonly<Record<string, string | number>>,
  stash: readonly string[] | undefined,
): Record<string, string> | undefined => {
  const params: Record<string, string> = {};
  try {
    for (const [name, at] of Object.entries(names)) {
      params[name] = decodeURIComponent(typeof at === 'number' ? (stash?.[at] ?? '') : at);
    }
    return params;
  } catch {
    return undefined;
  }
};

const MAX_CACHED = 1000;
const MAX_KEY_CHARS = 300;

/** Makes the finder. It caches routes, because clients repeat the same few paths. */
const createRouteFinder = (routes: readonly Route[]): RouteFinder => {
  const router = new SmartRouter<Route>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const route of routes) router.add(route.method.toUpperCase(), route.path, route);
  const search = (method: string, path: string): FoundRoute | undefined => {
    const [matched, stash] = router.match(method, path);
    const [first] = matched;
    if (!first) return undefined;
    const [route, names] = first;
    const params = decoded(names, stash);
    return params && { route, params };
  };
  const cache = new Map<string, FoundRoute>();
  return (requested, path) => {
    const method = requested === 'HEAD' ? 'GET' : requested;
    const key = `${method} ${path}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const match = search(method, path);
    if (!match || key.length > MAX_KEY_CHARS) return match;
    // A client could ask for any number of paths.
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, match);
    return match;
  };
};

const parsed = (schema: z.ZodType | undefined, value: unknown, part: string): unknown => {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ToolFailure('VALIDATION_ERROR', `The ${part} of the request is not as it should be.`, {
    issues: requestIssues(result.error, schema),
    suggestions: ['Correct the places named; /docs shows what is expected.'],
  });
};

/** Reads the query. Refuses a name given twice, because two programs might read different values. */
const queryOf = (request: HttpRequest): Record<string, string> => {
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(request.query)) {
    if (Object.hasOwn(query, name)) {
      throw new ToolFailure('VALIDATION_ERROR', 'A query parameter is given twice.');
    }
    Object.defineProperty(query, name, { value, enumerable: true });
  }
  return query;
};

const withEtag = (plain: PlainAnswer & { body: string }, request: HttpRequest): PlainAnswer => {
  const etag = `"${createHash('sha256').update(plain.body).digest('base64url').slice(0, 22)}"`;
  const headers = { ...plain.headers, etag, 'cache-control': 'private, no-cache' };
  const tags = (request.header('if-none-match') ?? '').split(',');
  const isCurrent = tags.some((each) => each.trim().replace(/^W\//, '') === etag);
  return isCurrent ? { status: 304, headers, body: null } : { ...plain, headers };
};

const answerOf = (reply: Replied, route: Route, request: HttpRequest): Answer => {
  if (reply instanceof Response) return reply;
  if ('answer' in reply) return reply.answer;
  const { status = 200, body } = reply;
  const headers = reply.headers ? { ...JSON_HEADERS, ...reply.headers } : JSON_HEADERS;
  const plain = { status, headers, body: JSON.stringify(body) };
  return route.etag && status === 200 ? withEtag(plain, request) : plain;
};

const bodyRefusal = ({ status, message, suggestion }: BodyFault): Refusal => ({
  code: 'VALIDATION_ERROR',
  status,
  message,
  extras: { suggestions: [suggestion] },
});

const NOT_READ = { value: undefined };

const handled = async (
  route: Route,
  { request, requestId, params: sent }: RoutedRequest,
  { services, bodyBytes, identity }: RouterDeps & { readonly identity: Identity | undefined },
): Promise<Answer> => {
  const { input } = route;
  const params = parsed(input.params, sent, 'path');
  const query = parsed(input.query, input.query && queryOf(request), 'query');
  const reading = input.body
    ? readBody(request, { maxBytes: bodyBytes, form: route.form ?? false })
    : NOT_READ;
  const read = reading instanceof Promise ? await reading : reading;
  if ('fault' in read) return refusal(bodyRefusal(read.fault));
  const body = parsed(input.body, read.value, 'body');
  const call = { request, requestId, services, identity, params, query, body };
  return answerOf(await route.handle(call as Parameters<Route['handle']>[0]), route, request);
};

/** Answers a request, whatever happens. Its body is not read before its sender is authenticated. */
const answerRoute = async (
  route: Route,
  routed: RoutedRequest,
  deps: RouterDeps,
): Promise<Answer> => {
  try {
    const admission = await admit(route, routed.request, deps);
    if ('refused' in admission) return refusal(admission.refused);
    const { services, jwt, bodyBytes } = deps;
    return await handled(route, routed, { services, jwt, bodyBytes, identity: admission.identity });
  } catch (error) {
    return failure(error, deps.services.deps.runtime.log, routed.requestId);
  }
};

/** Never answered with the console's page: a mistyped call must not look like success. */
const NOT_CONSOLE = /^\/(v1|mcp|metrics|approve|jobs|\.well-known)(\/|$)/;

const NO_ROUTE = {
  code: 'NOT_FOUND',
  extras: { suggestions: ['/docs lists every route.'] },
} as const;

export type AnswerRequest = (request: HttpRequest, requestId: string) => Promise<Answer> | Answer;

/** Makes the router: what no route has is a file of the console, or not found. */
export const createRouter = (deps: RouterDeps): AnswerRequest => {
  const find = createRouteFinder(ROUTES);
  const { consoleFolder, runtime } = deps.services.deps;
  const files = consoleFolder === undefined ? undefined : createStaticFiles(consoleFolder);
  const answerFile: AnswerRequest = async (request, requestId) => {
    try {
      const file = NOT_CONSOLE.test(request.path) ? undefined : await files?.(request.web());
      return file ?? refusal(NO_ROUTE);
    } catch (error) {
      return failure(error, runtime.log, requestId);
    }
  };
  return (request, requestId) => {
    const match = find(request.method, request.path);
    if (!match) return answerFile(request, requestId);
    return answerRoute(match.route, { request, requestId, params: match.params }, deps);
  };
};

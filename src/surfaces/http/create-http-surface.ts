/**
 * Toolcrib over HTTP: every route of the table behind the same guards. Where a request comes from is
 * checked first, then who sends it, then what it says; calls go through `crib.execute`.
 */
import type { CribHost } from '../../contract/crib-host.ts';
import { type Answer, createSeal, type SealedAnswer, toResponse, withHeaders } from './answer.ts';
import { type AnswerDeps, answerRoute } from './answer-route.ts';
import { createAttempts } from './auth/attempts.ts';
import { CSRF_HEADER } from './auth/authenticate.ts';
import { type ConsoleUser, createConsoleDoor } from './auth/console-sessions.ts';
import { createJwtCheck } from './auth/jwt-check.ts';
import { createStanding } from './auth/recheck-identities.ts';
import { createTokenBudgets } from './auth/token-budgets.ts';
import { createTokenDesk, type TokenDesk } from './auth/token-service.ts';
import { failure, refusal } from './error-reply.ts';
import { createNeighbours, type Neighbours } from './foreign-request.ts';
import { createHeldStreams } from './held-streams.ts';
import type { HttpDeps } from './http-deps.ts';
import { fromWebRequest, type HttpRequest } from './http-request.ts';
import type { HttpSite } from './http-site.ts';
import { type HttpServer, type ListenAt, listen } from './listen.ts';
import { openapiDocument } from './pages/openapi-document.ts';
import { securityHeaders } from './pages/security-headers.ts';
import { createStaticFiles } from './pages/static-files.ts';
import { createRouteFinder } from './route-finder.ts';
import { ROUTES } from './routes/route-table.ts';
import { watchShadow } from './shadow-notes.ts';

export interface HttpSurface {
  /** Answers one request, always. `address` is where it comes from, for the limits. */
  fetch(request: Request, address?: string): Promise<Response>;
  /** Rejects when the port cannot be had. */
  listen(at: ListenAt): Promise<HttpServer>;
  /** A one-time code for the console: put behind `/#code=`. */
  issueCode(user: ConsoleUser): string;
  readonly tokens: TokenDesk;
  /** Stops watching the crib, which stays open. */
  /** From now on no new call is taken: 503, and the connection is closed after every answer. */
  drain(): void;
  close(): void;
}

const BODY_BYTES = 1024 * 1024;
const FAILED_ATTEMPTS = 20;
/** Never answered by the console's page: a mistyped call must not look like success. */
const NOT_CONSOLE = /^\/(v1|mcp|metrics|approve|\.well-known)(\/|$)/;

const siteOf = (crib: CribHost, deps: HttpDeps): HttpSite => {
  const { runtime, randomBytes } = deps;
  const tokens = createTokenDesk({
    runtime,
    randomBytes,
    tokens: async () => (await crib.store()).tokens,
  });
  const door = createConsoleDoor({ runtime, randomBytes });
  let document: Promise<object> | undefined;
  return {
    crib,
    deps,
    tokens,
    door,
    streams: createHeldStreams(runtime, createStanding({ runtime, tokens, door })),
    attempts: createAttempts(runtime, deps.limits?.failedAttempts ?? FAILED_ATTEMPTS),
    shadow: watchShadow(crib.events, runtime),
    budgets: deps.budgets ?? createTokenBudgets(crib, runtime),
    openapi: () => {
      document ??= openapiDocument(ROUTES, deps.version);
      return document;
    },
  };
};

const NO_ROUTE = {
  code: 'NOT_FOUND',
  extras: { suggestions: ['/docs lists every route.'] },
} as const;

type Ask = (request: HttpRequest, requestId: string) => Promise<Answer> | Answer;

const askRoutes = (deps: AnswerDeps): Ask => {
  const find = createRouteFinder(ROUTES);
  const { consoleFolder, runtime } = deps.site.deps;
  const files = consoleFolder === undefined ? undefined : createStaticFiles(consoleFolder);
  const askFiles: Ask = async (request, requestId) => {
    try {
      const file = NOT_CONSOLE.test(request.path) ? undefined : await files?.(request.web());
      return file ?? refusal(NO_ROUTE);
    } catch (error) {
      return failure(error, runtime.log, requestId);
    }
  };
  return (request, requestId) => {
    const found = find(request.method, request.path);
    if (!found) return askFiles(request, requestId);
    return answerRoute(found.route, { request, requestId, params: found.params }, deps);
  };
};

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers': `authorization, content-type, idempotency-key, last-event-id, ${CSRF_HEADER}, mcp-protocol-version, mcp-session-id`,
  'access-control-max-age': '600',
};

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/** Only for origins that somebody configured; without credentials, so that cookies stay ours. */
const corsHeaders = (
  request: HttpRequest,
  neighbours: Neighbours,
): Readonly<Record<string, string>> => {
  const origin = request.header('origin');
  if (origin === undefined || !neighbours.isConfigured(origin)) return NOTHING;
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-request-id, etag, mcp-session-id',
    vary: 'origin',
  };
};

const isPreflight = (request: HttpRequest): boolean =>
  request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined;

const AMBIGUOUS = { code: 'VALIDATION_ERROR', message: 'A header is given twice.' } as const;

const behindDoor =
  (ask: Ask, neighbours: Neighbours): Ask =>
  (request, requestId) => {
    if (request.isAmbiguous()) return refusal(AMBIGUOUS);
    const foreign = neighbours.refuse(request);
    if (foreign) {
      const message = `The ${foreign === 'host' ? 'Host' : 'Origin'} of the request is not allowed here.`;
      return refusal({ code: 'PERMISSION_DENIED', message });
    }
    const cors = corsHeaders(request, neighbours);
    if (cors !== NOTHING && isPreflight(request)) {
      return { status: 204, headers: { ...PREFLIGHT, ...cors }, body: null };
    }
    if (cors === NOTHING) return ask(request, requestId);
    return Promise.resolve(ask(request, requestId)).then((answer) => withHeaders(answer, cors));
  };

const DRAINING = {
  code: 'CIRCUIT_OPEN',
  message: 'The server is shutting down and takes no new calls.',
  extras: { suggestions: ['Send the call again later, or to another server.'] },
} as const;

const CALL_PATH = /^\/(?:mcp$|mcp\/|v1\/process$|v1\/tools\/[^/]+\/execute$)/;

/** What starts a call. Answers to open questions still pass: calls under way may wait for them. */
const startsCall = ({ method, path }: HttpRequest): boolean =>
  method === 'POST' && CALL_PATH.test(path);

const LAST_ANSWER = { connection: 'close' };

/** Lets calls under way finish, and starts no other. */
const untilDrained =
  (ask: Ask, isDraining: () => boolean): Ask =>
  (request, requestId) => {
    if (!isDraining()) return ask(request, requestId);
    const answer = startsCall(request) ? refusal(DRAINING) : ask(request, requestId);
    return Promise.resolve(answer).then((last) => withHeaders(last, LAST_ANSWER));
  };

/** Ids need not be secret, only different: one draw of chance, then a count. */
const requestIds = ({ randomBytes }: HttpDeps): (() => string) => {
  const run = Buffer.from(randomBytes(6)).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${run}${count.toString(36).padStart(8, '0')}`;
  };
};

/** Throws when an origin or the public address in `deps` is none. */
export const createHttpSurface = (crib: CribHost, deps: HttpDeps): HttpSurface => {
  const neighbours = createNeighbours(deps);
  const site = siteOf(crib, deps);
  const bodyBytes = deps.limits?.bodyBytes ?? BODY_BYTES;
  const routes = askRoutes({ site, jwt: createJwtCheck(deps), bodyBytes });
  let draining = false;
  const enter = behindDoor(
    untilDrained(routes, () => draining),
    neighbours,
  );
  const seal = createSeal(securityHeaders(deps.publicUrl?.startsWith('https:') ?? false));
  const nextId = requestIds(deps);
  const ask = async (request: HttpRequest): Promise<SealedAnswer | Response> => {
    const requestId = nextId();
    return seal(await enter(request, requestId), requestId);
  };
  return {
    fetch: async (request, address = '') =>
      toResponse(await ask(fromWebRequest(request, address)), request.method),
    listen: (at) => listen(ask, at, deps),
    issueCode: (user) => site.door.issueCode(user).code,
    tokens: site.tokens,
    drain: () => {
      draining = true;
    },
    close: () => {
      site.shadow.close();
      site.streams.close();
    },
  };
};

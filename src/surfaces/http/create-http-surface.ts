/**
 * Toolcrib over HTTP: every route of the table behind the same guards. They check the origin of a
 * request, then its sender, then its content; calls go through `crib.execute`.
 */
import type { CribHost } from '../../contract/crib-host.ts';
import { ROLES } from '../../contract/tokens.ts';
import {
  crib as aCrib,
  amount,
  assertArguments,
  fields,
  name,
  oneOf,
  optional,
  text,
  webRequest,
} from '../../kit/data/check-arguments.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { createSeal, type SealedAnswer, toResponse, withHeaders } from '../door/answer.ts';
import { createOriginCheck, ORIGIN_MESSAGES, type OriginCheck } from '../door/check-origin.ts';
import { fromWebRequest, type HttpRequest } from '../door/http-request.ts';
import { type HttpServer, type ListenAt, listen } from '../door/listen.ts';
import { securityHeaders } from '../door/security-headers.ts';
import { CSRF_HEADER } from './auth/admit.ts';
import { createAttempts } from './auth/attempts.ts';
import { ConsoleSessions, type ConsoleUser } from './auth/console-sessions.ts';
import { createJwtCheck } from './auth/jwt-check.ts';
import { createTokenService, type TokenService } from './auth/token-service.ts';
import { DRAINING, startsCall } from './draining.ts';
import { refusal } from './error-reply.ts';
import { createIdentityCheck, HeldStreams } from './held-streams.ts';
import { type HttpDeps, httpDeps } from './http-deps.ts';
import type { HttpServices } from './http-services.ts';
import { openapiDocument } from './pages/openapi-document.ts';
import { type AnswerRequest, createRouter } from './router.ts';
import { ROUTES } from './routes/route-table.ts';
import { watchShadow } from './shadow-notes.ts';

export interface HttpSurface {
  /** Answers one request, whatever happens. `address` is that of the client, for the limits. */
  fetch(request: Request, address?: string): Promise<Response>;
  /** Listens. Rejects when the port cannot be opened. */
  listen(at: ListenAt): Promise<HttpServer>;
  /** Makes a one-time code for the console: put behind `/#code=`. */
  issueCode(user: ConsoleUser): string;
  readonly tokens: TokenService;
  /** Refuses new calls from now on with 503, and closes the connection after every answer. */
  drain(): void;
  /** Stops watching the crib, which stays open. */
  close(): void;
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_FAILED_ATTEMPTS = 20;
type Fixed = Omit<HttpServices, 'isDraining' | 'bodyBytes'>;

const servicesOf = (crib: CribHost, deps: HttpDeps): Fixed => {
  const { runtime, randomBytes } = deps;
  const tokens = createTokenService({
    runtime,
    randomBytes,
    tokens: async () => (await crib.store()).tokens,
  });
  const sessions = new ConsoleSessions({ runtime, randomBytes });
  return {
    crib,
    deps,
    tokens,
    sessions,
    streams: new HeldStreams(runtime, createIdentityCheck({ runtime, tokens, sessions })),
    attempts: createAttempts(runtime, deps.limits?.failedAttempts ?? MAX_FAILED_ATTEMPTS),
    shadow: watchShadow(crib.events, runtime),
    openapi: lazy(() => openapiDocument(ROUTES, deps.version)),
  };
};

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': `authorization, content-type, idempotency-key, last-event-id, ${CSRF_HEADER}, mcp-protocol-version, mcp-session-id`,
  'access-control-max-age': '600',
};

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/** Makes the headers for configured origins; without credentials, so that no cookie is sent. */
const corsHeaders = (
  request: HttpRequest,
  check: OriginCheck,
): Readonly<Record<string, string>> => {
  const origin = request.header('origin');
  if (origin === undefined || !check.isConfigured(origin)) return NOTHING;
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-request-id, etag, mcp-session-id',
    vary: 'origin',
  };
};

const isPreflight = (request: HttpRequest): boolean =>
  request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined;

/** Checks the origin of a request first; pages of configured origins get CORS headers. */
const behindOriginCheck =
  (next: AnswerRequest, check: OriginCheck): AnswerRequest =>
  (request, requestId) => {
    const fault = check.refuse(request);
    if (fault) {
      const code = fault === 'ambiguous' ? 'VALIDATION_ERROR' : 'PERMISSION_DENIED';
      return refusal({ code, message: ORIGIN_MESSAGES[fault] });
    }
    const cors = corsHeaders(request, check);
    if (cors !== NOTHING && isPreflight(request)) {
      return { status: 204, headers: { ...PREFLIGHT, ...cors }, body: null };
    }
    if (cors === NOTHING) return next(request, requestId);
    return Promise.resolve(next(request, requestId)).then((answer) => withHeaders(answer, cors));
  };

const LAST_ANSWER = { connection: 'close' };

/** Refuses new calls while the server drains; running ones finish. */
const untilDrained =
  (next: AnswerRequest, isDraining: () => boolean): AnswerRequest =>
  (request, requestId) => {
    if (!isDraining()) return next(request, requestId);
    const answer = startsCall(request) ? refusal(DRAINING) : next(request, requestId);
    return Promise.resolve(answer).then((last) => withHeaders(last, LAST_ANSWER));
  };

/** Makes ids that are unique, not secret: random bytes once, then a counter. */
const requestIds = ({ randomBytes }: HttpDeps): (() => string) => {
  const run = Buffer.from(randomBytes(6)).toString('base64url');
  let count = 0;
  return () => {
    count += 1;
    return `${run}${count.toString(36).padStart(8, '0')}`;
  };
};

const FETCH = { request: webRequest, address: optional(name) };
const LISTEN = { at: fields({ host: text, port: amount }) };
const ISSUE_CODE = { user: fields({ user: text, role: oneOf(...ROLES) }) };

/**
 * Opens the surface. Throws VALIDATION_ERROR for arguments of the wrong kind and names that are not
 * known, and when an origin or the public address in `deps` is none.
 */
export const createHttpSurface = (crib: CribHost, deps: HttpDeps): HttpSurface => {
  assertArguments({ crib: aCrib, deps: httpDeps }, [crib, deps]);
  const check = createOriginCheck(deps);
  let draining = false;
  const bodyBytes = deps.limits?.bodyBytes ?? MAX_BODY_BYTES;
  const services = { ...servicesOf(crib, deps), bodyBytes, isDraining: () => draining };
  const routes = createRouter({ services, jwt: createJwtCheck(deps), bodyBytes });
  const { log, after } = deps.runtime;
  const enter = behindOriginCheck(
    untilDrained(routes, () => draining),
    check,
  );
  const seal = createSeal(securityHeaders(deps.publicUrl?.startsWith('https:') ?? false));
  const nextId = requestIds(deps);
  const ask = async (request: HttpRequest): Promise<SealedAnswer> => {
    const requestId = nextId();
    return seal(await enter(request, requestId), requestId);
  };
  return {
    fetch: async (request, address = '') => {
      assertArguments(FETCH, [request, address]);
      return toResponse(await ask(fromWebRequest(request, address)), request.method);
    },
    listen: async (at) => {
      assertArguments(LISTEN, [at]);
      return listen(ask, at, { log, after, ...(deps.limits && { limits: deps.limits }) });
    },
    issueCode: (user) => {
      assertArguments(ISSUE_CODE, [user]);
      return services.sessions.issueCode(user).code;
    },
    tokens: services.tokens,
    drain: () => {
      draining = true;
    },
    close: () => {
      services.shadow.close();
      services.streams.close();
    },
  };
};

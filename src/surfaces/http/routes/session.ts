/** Login to the console with a one-time code, logout, and codes for other people. */
import { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import { ROLES } from '../../../contract/tokens.ts';
import { COOKIE, sessionIdOf } from '../auth/admit.ts';
import type { ConsoleSession } from '../auth/console-sessions.ts';
import { notSignedIn, refusal } from '../error-reply.ts';
import type { HttpDeps } from '../http-deps.ts';
import { defineRoute, type Route, type WholeReply } from '../route.ts';
import { plainName } from '../schemas/lists.ts';

const sessionSchema = z.object({
  user: z.string(),
  role: z.enum(ROLES),
  csrf: z.string(),
  expiresAt: z.number(),
});

const shown = ({ user, role, csrf, expiresAt }: ConsoleSession) => ({
  user,
  role,
  csrf,
  expiresAt,
});

const cookie = (value: string, maxAge: number, { publicUrl }: HttpDeps): string =>
  `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${
    publicUrl?.startsWith('https:') ? '; Secure' : ''
  }`;

const unauthenticated = (message: string, suggestion: string): WholeReply => ({
  answer: refusal(notSignedIn(message, { suggestion })),
});

const enter = defineRoute({
  method: 'post',
  path: '/v1/session',
  role: 'public',
  tag: 'session',
  summary: 'Log in with a one-time code',
  input: { body: z.strictObject({ code: z.string().min(1).max(200) }) },
  response: sessionSchema,
  handle: ({ services: { sessions, deps, attempts, streams }, body, request }) => {
    const entered = sessions.enter(body.code);
    if (!entered) {
      const retryAfterMs = attempts.failed(request.address);
      if (retryAfterMs > 0) throw new ToolFailure('RATE_LIMITED', undefined, { retryAfterMs });
      return unauthenticated(
        'The code is wrong, used or too old.',
        'Take a new code from the terminal of the server.',
      );
    }
    // Ends the session that the browser sent: an attacker may have planted its id (session fixation).
    const before = sessionIdOf(request);
    if (before !== undefined) sessions.leave(before);
    void streams.recheck();
    const seconds = Math.floor((entered.session.expiresAt - deps.runtime.now()) / 1000);
    return {
      body: shown(entered.session),
      headers: { 'set-cookie': cookie(entered.id, seconds, deps) },
    };
  },
});

const look = defineRoute({
  method: 'get',
  path: '/v1/session',
  role: 'member',
  tag: 'session',
  summary: 'The present session',
  response: sessionSchema,
  handle: ({ services, request }) => {
    const session = services.sessions.find(sessionIdOf(request) ?? '');
    return session ? { body: shown(session) } : unauthenticated('There is no session.', 'Log in.');
  },
});

const leave = defineRoute({
  method: 'delete',
  path: '/v1/session',
  role: 'member',
  tag: 'session',
  summary: 'Log out',
  response: z.object({ ended: z.boolean() }),
  handle: ({ services: { sessions, deps, streams }, request }) => {
    const id = sessionIdOf(request);
    if (id !== undefined) sessions.leave(id);
    void streams.recheck();
    return {
      body: { ended: id !== undefined },
      headers: { 'set-cookie': cookie('', 0, deps) },
    };
  },
});

/** Without `agent`: agents have tokens, and the console is for people. */
const PERSONS = ['viewer', 'operator', 'admin'] as const;

const invitation = z.strictObject({ user: plainName, role: z.enum(PERSONS) });

const invite = defineRoute({
  method: 'post',
  path: '/v1/session/codes',
  role: 'admin',
  tag: 'session',
  summary: 'Make a one-time code that lets a person into the console; it is shown this once',
  input: { body: invitation },
  response: invitation.extend({ code: z.string(), expiresAt: z.number() }),
  status: 201,
  handle: ({ services, body }) => ({
    status: 201,
    body: { ...body, ...services.sessions.issueCode(body) },
  }),
});

export const SESSION_ROUTES: readonly Route[] = [enter, look, leave, invite];

/**
 * The definition of a route. Authorisation, the OpenAPI document and the tests are all made from
 * it; a route without a role does not compile.
 */
import type { z } from 'zod';
import type { Role } from '../../contract/tokens.ts';
import type { Answer } from '../door/answer.ts';
import type { HttpRequest } from '../door/http-request.ts';
import type { Identity } from './auth/identity.ts';
import type { HttpDeps } from './http-deps.ts';
import type { HttpServices } from './http-services.ts';

/** `public` for anybody, `member` for every identity, otherwise the lowest role that is sufficient. */
export type RouteRole = 'public' | 'member' | Role;

export interface RouteInput {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
}

type Parsed<S extends RouteInput> = {
  readonly [K in keyof S]: S[K] extends z.ZodType ? z.output<S[K]> : undefined;
};

export interface RouteCall {
  readonly request: HttpRequest;
  /** The one in the header `x-request-id` of the answer; calls and jobs carry it as their trace id. */
  readonly requestId: string;
  readonly services: HttpServices;
  /** Undefined on public routes only. */
  readonly identity: Identity | undefined;
}

/** An identified call: what every route that is not public gets. */
export interface MemberCall extends RouteCall {
  readonly identity: Identity;
}

/** An answer that is sent unchanged: events, or the answer of another surface. */
export interface WholeReply {
  readonly answer: Answer;
}

export interface Reply {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Replied = Reply | WholeReply | Response;

type CallFor<R extends RouteRole> = R extends 'public' ? RouteCall : MemberCall;

interface RouteFacts {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As Hono writes it: `/v1/tools/:name`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** The body of the good answer, or its media type where it is no JSON. */
  readonly response: z.ZodType | `${string}/${string}`;
  /** Of the good answer; 200 when absent. */
  readonly status?: number;
  /** Other statuses with the same body, and what they mean. */
  readonly also?: Readonly<Record<number, string>>;
  readonly etag?: boolean;
  /** The body is an HTML form. */
  readonly form?: boolean;
  /** Tells whether the settings make a route public that needs a role otherwise. */
  isOpen?(deps: HttpDeps): boolean;
}

export interface RouteDefinition<S extends RouteInput, R extends RouteRole> extends RouteFacts {
  readonly role: R;
  readonly input?: S;
  handle(call: CallFor<R> & Parsed<S>): Promise<Replied> | Replied;
}

export interface Route extends RouteFacts {
  readonly role: RouteRole;
  readonly input: RouteInput;
  handle(call: RouteCall & Parsed<RouteInput>): Promise<Replied> | Replied;
}

/** Defines a route. Its types are checked here; in the table all routes have one type. */
export const defineRoute = <R extends RouteRole, S extends RouteInput = Record<never, never>>(
  definition: RouteDefinition<S, R>,
): Route => ({ input: {}, ...definition }) as unknown as Route;

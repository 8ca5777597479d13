/** HTTP sessions of the 2025 protocols: each belongs to the client that opened it, and to no other. */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Answer } from '../../door/answer.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { type BuiltServer, buildServer } from '../build-server.ts';
import type { McpIdentity } from '../mcp-options.ts';
import { refusal } from '../rpc-refusal.ts';
import { type HttpSession, identitySession } from '../session.ts';
import type { SurfaceDeps } from '../surface-deps.ts';
import { SessionTransport } from './session-transport.ts';
import { IN_USE, messagesIn, OpenIds, requestIdsIn } from './unique-ids.ts';

interface Held {
  readonly key: string;
  readonly transport: SessionTransport;
  readonly built: BuiltServer;
  readonly ids: OpenIds;
  readonly session: HttpSession;
  usedAt: number;
}

export interface LegacyRequest {
  readonly request: HttpRequest;
  readonly identity: McpIdentity;
  /** `undefined` for requests that have none. */
  readonly body: unknown;
}

const MAX_SESSIONS = 500;
const MAX_PER_CLIENT = 50;
const IDLE_MS = 6 * 60 * 60 * 1000;

const NOT_FOUND = refusal(404, { code: -32001, message: 'Session not found' });

const opens = (body: unknown): boolean =>
  messagesIn(body).some(({ method }) => method === 'initialize');

export class LegacySessions {
  readonly #deps: SurfaceDeps;
  readonly #held = new Map<string, Held>();

  constructor(deps: SurfaceDeps) {
    this.#deps = deps;
  }

  get servers(): readonly BuiltServer[] {
    return [...this.#held.values()].map(({ built }) => built);
  }

  handle(legacy: LegacyRequest): Answer | Promise<Answer> {
    const { request, identity, body } = legacy;
    const id = request.header('mcp-session-id');
    if (id === undefined && opens(body)) {
      return this.#open(identity).then((held) => this.#serve(held, legacy));
    }
    if (id === undefined) {
      return refusal(400, { message: 'Bad Request: Mcp-Session-Id header is required' });
    }
    const held = this.#held.get(id);
    // Somebody else's session is answered like one that never was.
    if (held?.key !== identity.key) return NOT_FOUND;
    // What the client may do can have changed since it opened the session, e.g. with a new JWT.
    held.session.renew(identity);
    return this.#serve(held, legacy);
  }

  async close(): Promise<void> {
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map(({ built }) => built.product.close().catch(() => undefined)));
  }

  #serve(held: Held, { request, body }: LegacyRequest): Answer | Promise<Answer> {
    held.usedAt = this.#deps.options.runtime.now();
    held.ids.received(body);
    const taken = requestIdsIn(body);
    if (!held.ids.take(taken)) return refusal(400, IN_USE);
    const answer = held.transport.handle(request, body);
    // What is refused is refused at once, and will not be answered: its id is free again.
    if (!(answer instanceof Promise) && answer.status >= 400) held.ids.release(taken);
    return answer;
  }

  async #open(identity: McpIdentity): Promise<Held> {
    await this.#makeRoom(identity.key);
    const { sdk, options } = this.#deps;
    const id = randomUUID();
    const ids = new OpenIds();
    const transport = new SessionTransport({
      sessionId: id,
      sdk,
      runtime: options.runtime,
      extra: { authInfo: { token: '', clientId: identity.key, scopes: [] } },
      ended: () => void this.#held.delete(id),
    });
    const send = transport.send.bind(transport);
    transport.send = (message: JSONRPCMessage, sendOptions) => {
      ids.sent(message);
      return send(message, sendOptions);
    };
    const session = identitySession(identity, id);
    const built = buildServer(this.#deps, session, 'legacy');
    const { plainCalls } = built;
    if (plainCalls) transport.take = (message, respond) => plainCalls.take(message, respond);
    const { key } = identity;
    const held = { key, transport, built, ids, session, usedAt: options.runtime.now() };
    await built.product.connect(transport);
    this.#held.set(id, held);
    return held;
  }

  /** Idle sessions go, then the longest unused one: first of this client, then of all. */
  async #makeRoom(key: string): Promise<void> {
    const now = this.#deps.options.runtime.now();
    const oldest = [...this.#held].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    const mine = oldest.filter(([, held]) => held.key === key);
    const leaving = new Map(oldest.filter(([, { usedAt }]) => now - usedAt > IDLE_MS));
    if (mine.length >= MAX_PER_CLIENT && mine[0]) leaving.set(...mine[0]);
    if (this.#held.size >= MAX_SESSIONS && oldest[0]) leaving.set(...oldest[0]);
    for (const [id, { built }] of leaving) {
      this.#held.delete(id);
      await built.product.close().catch(() => undefined);
    }
  }
}

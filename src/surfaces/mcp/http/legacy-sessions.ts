/** HTTP sessions of the 2025 protocols. Each belongs to the client that opened it. */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { HOUR_MS } from '../../../kit/data/durations.ts';
import type { Answer } from '../../door/answer.ts';
import type { HttpRequest } from '../../door/http-request.ts';
import { type BuiltServer, buildServer } from '../build-server.ts';
import type { McpIdentity } from '../mcp-options.ts';
import { refusal } from '../protocol-error.ts';
import { type HttpSession, identitySession } from '../session.ts';
import type { SurfaceDeps } from '../surface-deps.ts';
import { SessionTransport } from './session-transport.ts';
import { IN_USE, messagesIn, OpenIds, requestIdsIn } from './unique-ids.ts';

interface OpenSession {
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
const IDLE_MS = 6 * HOUR_MS;

const NOT_FOUND = refusal(404, { code: -32001, message: 'Session not found' });

const isOpening = (body: unknown): boolean =>
  messagesIn(body).some(({ method }) => method === 'initialize');

export class LegacySessions {
  readonly #deps: SurfaceDeps;
  readonly #sessions = new Map<string, OpenSession>();

  constructor(deps: SurfaceDeps) {
    this.#deps = deps;
  }

  get servers(): readonly BuiltServer[] {
    return [...this.#sessions.values()].map(({ built }) => built);
  }

  handle(legacy: LegacyRequest): Answer | Promise<Answer> {
    const { request, identity, body } = legacy;
    const id = request.header('mcp-session-id');
    if (id === undefined && isOpening(body)) {
      return this.#open(identity).then((opened) => this.#serve(opened, legacy));
    }
    if (id === undefined) {
      return refusal(400, { message: 'Bad Request: Mcp-Session-Id header is required' });
    }
    const open = this.#sessions.get(id);
    // The session of another client is answered like one that does not exist.
    if (open?.key !== identity.key) return NOT_FOUND;
    // Permissions may have changed since the session was opened, e.g. with a new JWT.
    open.session.renew(identity);
    return this.#serve(open, legacy);
  }

  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ built }) => built.product.close().catch(() => undefined)));
  }

  #serve(open: OpenSession, { request, body }: LegacyRequest): Answer | Promise<Answer> {
    open.usedAt = this.#deps.options.runtime.now();
    open.ids.received(body);
    const ids = requestIdsIn(body);
    if (!open.ids.take(ids)) return refusal(400, IN_USE);
    const answer = open.transport.handle(request, body);
    // A request that is refused at once gets no response: its id is free again.
    if (!(answer instanceof Promise) && answer.status >= 400) open.ids.release(ids);
    return answer;
  }

  async #open(identity: McpIdentity): Promise<OpenSession> {
    await this.#makeRoom(identity.key);
    const { sdk, options } = this.#deps;
    const id = randomUUID();
    const ids = new OpenIds();
    const transport = new SessionTransport({
      sessionId: id,
      sdk,
      runtime: options.runtime,
      extra: { authInfo: { token: '', clientId: identity.key, scopes: [] } },
      ended: () => void this.#sessions.delete(id),
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
    const open = { key, transport, built, ids, session, usedAt: options.runtime.now() };
    await built.product.connect(transport);
    this.#sessions.set(id, open);
    return open;
  }

  /** Closes idle sessions and, at a limit, the one unused for longest: of this client, then of all. */
  async #makeRoom(key: string): Promise<void> {
    const now = this.#deps.options.runtime.now();
    const oldest = [...this.#sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    const mine = oldest.filter(([, open]) => open.key === key);
    const leaving = new Map(oldest.filter(([, { usedAt }]) => now - usedAt > IDLE_MS));
    if (mine.length >= MAX_PER_CLIENT && mine[0]) leaving.set(...mine[0]);
    if (this.#sessions.size >= MAX_SESSIONS && oldest[0]) leaving.set(...oldest[0]);
    for (const [id, { built }] of leaving) {
      this.#sessions.delete(id);
      await built.product.close().catch(() => undefined);
    }
  }
}

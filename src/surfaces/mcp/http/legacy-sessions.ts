/** HTTP sessions of the 2025 protocols: each belongs to the client that opened it, and to no other. */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { HOUR_MS } from '../../../kit/data/durations.ts';
import { type BuiltServer, buildServer } from '../build-server.ts';
import type { McpIdentity } from '../mcp-options.ts';
import type { SurfaceSite } from '../server-site.ts';
import { identitySession } from '../session.ts';
import { type DoorAnswer, refusal } from './door-answer.ts';
import type { DoorRequest } from './door-request.ts';
import { SessionTransport } from './session-transport.ts';
import { IN_USE, messagesIn, OpenIds, requestIdsIn } from './unique-ids.ts';

interface Held {
  readonly key: string;
  readonly transport: SessionTransport;
  readonly built: BuiltServer;
  readonly ids: OpenIds;
  usedAt: number;
}

export interface LegacyRequest {
  readonly request: DoorRequest;
  readonly identity: McpIdentity;
  /** `undefined` for requests that have none. */
  readonly body: unknown;
}

const MOST_SESSIONS = 500;
const MOST_PER_CLIENT = 50;
const IDLE_MS = 6 * HOUR_MS;

const NOT_FOUND = refusal(404, { code: -32001, message: 'Session not found' });

const opens = (body: unknown): boolean =>
  messagesIn(body).some(({ method }) => method === 'initialize');

export class LegacySessions {
  readonly #site: SurfaceSite;
  readonly #held = new Map<string, Held>();

  constructor(site: SurfaceSite) {
    this.#site = site;
  }

  get servers(): readonly BuiltServer[] {
    return [...this.#held.values()].map(({ built }) => built);
  }

  handle(legacy: LegacyRequest): DoorAnswer | Promise<DoorAnswer> {
    const { request, identity, body } = legacy;
    const id = request.header('mcp-session-id');
    if (id === null && opens(body)) {
      return this.#open(identity).then((held) => this.#serve(held, legacy));
    }
    if (id === null) {
      return refusal(400, { message: 'Bad Request: Mcp-Session-Id header is required' });
    }
    const held = this.#held.get(id);
    // Somebody else's session is answered like one that never was.
    if (held?.key !== identity.key) return NOT_FOUND;
    return this.#serve(held, legacy);
  }

  async close(): Promise<void> {
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map(({ built }) => built.product.close().catch(() => undefined)));
  }

  #serve(held: Held, { request, body }: LegacyRequest): DoorAnswer | Promise<DoorAnswer> {
    held.usedAt = this.#site.options.runtime.now();
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
    const { sdk, options } = this.#site;
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
    const built = buildServer(this.#site, identitySession(identity, id), 'legacy');
    const { plainCalls } = built;
    if (plainCalls) transport.take = (message, respond) => plainCalls.take(message, respond);
    const held = { key: identity.key, transport, built, ids, usedAt: options.runtime.now() };
    await built.product.connect(transport);
    this.#held.set(id, held);
    return held;
  }

  /** Idle sessions go, then the longest unused one: first of this client, then of all. */
  async #makeRoom(key: string): Promise<void> {
    const now = this.#site.options.runtime.now();
    const oldest = [...this.#held].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    const mine = oldest.filter(([, held]) => held.key === key);
    const leaving = new Map(oldest.filter(([, { usedAt }]) => now - usedAt > IDLE_MS));
    if (mine.length >= MOST_PER_CLIENT && mine[0]) leaving.set(...mine[0]);
    if (this.#held.size >= MOST_SESSIONS && oldest[0]) leaving.set(...oldest[0]);
    for (const [id, { built }] of leaving) {
      this.#held.delete(id);
      await built.product.close().catch(() => undefined);
    }
  }
}

/** HTTP sessions of the 2025 protocols: each belongs to the client that opened it, and to no other. */
import { randomUUID } from 'node:crypto';
import type {
  JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type BuiltServer, buildServer } from './build-server.ts';
import type { McpIdentity } from './mcp-options.ts';
import type { SurfaceSite } from './server-site.ts';
import { identitySession } from './session.ts';
import { IN_USE, messagesIn, OpenIds, requestIdsIn } from './unique-ids.ts';

interface Held {
  readonly key: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly built: BuiltServer;
  readonly ids: OpenIds;
  usedAt: number;
}

export interface LegacyRequest {
  readonly request: Request;
  readonly identity: McpIdentity;
  /** `undefined` for requests that have none. */
  readonly body: unknown;
}

const MOST_SESSIONS = 500;
const MOST_PER_CLIENT = 50;
const IDLE_MS = 6 * 60 * 60 * 1000;
const KEEP_ALIVE_MS = 15_000;

const refused = (status: number, message: string, code = -32000): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

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

  async handle(legacy: LegacyRequest): Promise<Response> {
    const { request, identity, body } = legacy;
    const id = request.headers.get('mcp-session-id');
    if (id === null && opens(body)) return this.#serve(await this.#open(identity), legacy);
    if (id === null) return refused(400, 'Bad Request: Mcp-Session-Id header is required');
    const held = this.#held.get(id);
    // Somebody else's session is answered like one that never was.
    if (held?.key !== identity.key) return refused(404, 'Session not found', -32001);
    return this.#serve(held, legacy);
  }

  async close(): Promise<void> {
    const all = [...this.#held.values()];
    this.#held.clear();
    await Promise.all(all.map(({ built }) => built.product.close().catch(() => undefined)));
  }

  async #serve(held: Held, { request, body, identity }: LegacyRequest): Promise<Response> {
    held.usedAt = this.#site.options.runtime.now();
    held.ids.received(body);
    const taken = requestIdsIn(body);
    if (!held.ids.take(taken)) return refused(400, IN_USE.message, IN_USE.code);
    const authInfo = { token: '', clientId: identity.key, scopes: [] };
    const response = await held.transport.handleRequest(request, {
      authInfo,
      ...(body !== undefined && { parsedBody: body }),
    });
    if (!response.ok) held.ids.release(taken);
    return response;
  }

  async #open(identity: McpIdentity): Promise<Held> {
    await this.#makeRoom(identity.key);
    const { sdk, options } = this.#site;
    const id = randomUUID();
    const ids = new OpenIds();
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      keepAliveMs: KEEP_ALIVE_MS,
      onsessionclosed: () => void this.#held.delete(id),
    });
    const send = transport.send.bind(transport);
    transport.send = (message: JSONRPCMessage, sendOptions) => {
      ids.sent(message);
      return send(message, sendOptions);
    };
    const built = buildServer(this.#site, identitySession(identity, id), 'legacy');
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

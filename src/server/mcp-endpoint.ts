/**
 * The MCP endpoint of the HTTP server: who asks is known by then, and each surface is made when the
 * first client wants it. What narrows a token narrows its MCP calls as well.
 */
import type { Crib } from '../contract/crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Runtime } from '../contract/runtime.ts';
import { withoutByteOrderMark } from '../kit/text/byte-order-mark.ts';
import type { Answer } from '../surfaces/http/answer.ts';
import { callerOfIdentity, type Identity } from '../surfaces/http/auth/identity.ts';
import type { TokenBudgets } from '../surfaces/http/auth/token-budgets.ts';
import type { HttpRequest } from '../surfaces/http/http-request.ts';
import type { McpSurface } from '../surfaces/mcp/create-mcp-surface.ts';
import { toResponse } from '../surfaces/mcp/http/door-answer.ts';
import type { DoorRequest } from '../surfaces/mcp/http/door-request.ts';
import type { McpSurfaceOptions, SurfaceKind } from '../surfaces/mcp/mcp-options.ts';

export interface McpEndpointSite {
  readonly crib: Crib;
  /** Shared with the rest of the server. */
  readonly budgets: TokenBudgets;
  readonly runtime: Runtime;
  readonly version: string;
  /** Host names beside those of this machine. */
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly maxBodyBytes: number;
  readonly publicUrl: string | undefined;
  readonly describe: McpSurfaceOptions['describe'];
}

export interface McpEndpoint {
  answer(request: HttpRequest, identity: Identity): Promise<Answer>;
  close(): Promise<void>;
}

const KINDS: readonly string[] = ['full', 'search', 'code'] satisfies readonly SurfaceKind[];
const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

const kindOf = ({ query }: HttpRequest): SurfaceKind => {
  const kind = query === '' ? 'full' : (new URLSearchParams(query).get('surface') ?? 'full');
  if (KINDS.includes(kind)) return kind as SurfaceKind;
  throw new ToolFailure('VALIDATION_ERROR', 'There is no such surface.', {
    suggestions: [`Surfaces are: ${KINDS.join(', ')}.`],
  });
};

/** A request of one door as the other sees it. The web's own objects are made only where need be. */
const atMcpDoor = (request: HttpRequest): DoorRequest => ({
  method: request.method,
  head: {
    method: request.method,
    get url() {
      return request.web().url;
    },
    get headers() {
      return request.web().headers;
    },
  },
  header: (name) => request.header(name) ?? null,
  text: async (most) => {
    const bytes = await request.bytes(most);
    const text = bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    return text && withoutByteOrderMark(text);
  },
  web: () => request.web(),
});

/** By the tool's own name, so that an alias opens nothing. A tool nobody knows is on no list. */
const assertListed = ({ policy }: Identity, crib: Crib, name: string): void => {
  if (!policy?.tools) return;
  const own = crib.tools.get(name)?.tool.name;
  if (own !== undefined && policy.tools.includes(own)) return;
  throw new ToolFailure('PERMISSION_DENIED', 'This token may not call that tool.', {
    suggestions: ['Use a tool on the list of the token, or another token.'],
  });
};

/** The crib, with the calls of tokens that are narrowed held to their tools and their budget. */
const narrowed = (
  crib: Crib,
  holders: ReadonlyMap<string, Identity>,
  budgets: TokenBudgets,
): Crib => {
  const execute: Crib['execute'] = async (tool, input, as) => {
    const holder = holders.get(as?.userId ?? '');
    const run = () => crib.execute(tool, input, as);
    if (!holder) return run();
    assertListed(holder, crib, tool);
    return budgets.within(holder, [tool], run);
  };
  return new Proxy(crib, {
    get: (target, key) => {
      if (key === 'execute') return execute;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

export const openMcpEndpoint = (site: McpEndpointSite): McpEndpoint => {
  const { crib, budgets, runtime, version, describe } = site;
  const asking = new WeakMap<object, Identity>();
  const holders = new Map<string, Identity>();
  const surfaces = new Map<SurfaceKind, Promise<McpSurface>>();
  const narrow = narrowed(crib, holders, budgets);

  const http: NonNullable<McpSurfaceOptions['http']> = {
    authenticate: async (request) => {
      const identity = asking.get(request);
      return identity && { key: identity.key, caller: callerOfIdentity(identity, crib.tools) };
    },
    hosts: [...THIS_MACHINE, ...site.hosts],
    origins: [
      ...THIS_MACHINE,
      ...site.hosts,
      ...site.origins.map((each) => new URL(each).hostname),
    ],
    maxBodyBytes: site.maxBodyBytes,
    ...(site.publicUrl !== undefined && {
      resourceMetadataUrl: new URL('/.well-known/oauth-protected-resource', site.publicUrl).href,
    }),
  };

  const make = async (surface: SurfaceKind): Promise<McpSurface> => {
    const { createMcpSurface } = await import('../surfaces/mcp/create-mcp-surface.ts');
    // Over this door the word of a client is not that of a person: questions wait in the inbox.
    const options = { runtime, version, surface, http, approvals: 'inbox' } as const;
    return createMcpSurface(narrow, { ...options, ...(describe && { describe }) });
  };

  return {
    answer: async (request, identity) => {
      const kind = kindOf(request);
      const asked = atMcpDoor(request);
      asking.set(asked.head, identity);
      if (identity.policy) holders.set(identity.userId, identity);
      else holders.delete(identity.userId);
      const surface = surfaces.get(kind) ?? make(kind);
      surfaces.set(kind, surface);
      const answer = await (await surface).answer(asked);
      return 'stream' in answer ? toResponse(answer) : answer;
    },
    close: async () => {
      await Promise.all([...surfaces.values()].map(async (surface) => (await surface).close()));
    },
  };
};

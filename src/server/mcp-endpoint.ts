/**
 * The MCP endpoint of the HTTP server, behind its authentication. Each kind of surface is opened
 * with its first request, and every call is made as the identity of its request.
 */
import type { Crib } from '../contract/crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Answer } from '../surfaces/door/answer.ts';
import type { HttpRequest } from '../surfaces/door/http-request.ts';
import { callerOfIdentity, type Identity } from '../surfaces/http/auth/identity.ts';
import type { McpSurface } from '../surfaces/mcp/create-mcp-surface.ts';
import type { McpSurfaceOptions, SurfaceKind } from '../surfaces/mcp/mcp-options.ts';

export interface McpEndpointDeps {
  readonly crib: Crib;
  readonly runtime: Runtime;
  readonly version: string;
  readonly maxBodyBytes: number;
  readonly describe: McpSurfaceOptions['describe'];
  /** The flows that clients are offered. */
  readonly flows: readonly string[];
}

export interface McpEndpoint {
  answer(request: HttpRequest, identity: Identity): Promise<Answer>;
  close(): Promise<void>;
}

const KINDS: readonly string[] = ['full', 'search', 'code'] satisfies readonly SurfaceKind[];

const kindOf = ({ query }: HttpRequest): SurfaceKind => {
  const kind = query === '' ? 'full' : (new URLSearchParams(query).get('surface') ?? 'full');
  if (KINDS.includes(kind)) return kind as SurfaceKind;
  throw new ToolFailure('VALIDATION_ERROR', 'There is no such surface.', {
    suggestions: [`Surfaces are: ${KINDS.join(', ')}.`],
  });
};

const openSurface = async (kind: SurfaceKind, deps: McpEndpointDeps): Promise<McpSurface> => {
  const { crib, runtime, version, maxBodyBytes, describe, flows } = deps;
  const { createMcpSurface } = await import('../surfaces/mcp/create-mcp-surface.ts');
  return createMcpSurface(crib, {
    runtime,
    version,
    surface: kind,
    maxBodyBytes,
    flows,
    // The client is a program, whose answer is not a person's: approvals wait in the inbox.
    approvals: 'inbox',
    ...(describe && { describe }),
  });
};

export const openMcpEndpoint = (deps: McpEndpointDeps): McpEndpoint => {
  const { tools } = deps.crib;
  const surfaces = new Map<SurfaceKind, Promise<McpSurface>>();
  const surfaceOf = (kind: SurfaceKind): Promise<McpSurface> => {
    const surface = surfaces.get(kind) ?? openSurface(kind, deps);
    surfaces.set(kind, surface);
    return surface;
  };
  return {
    answer: async (request, identity) => {
      const surface = await surfaceOf(kindOf(request));
      const { key } = identity;
      return surface.handle(request, { key, caller: callerOfIdentity(identity, tools) });
    },
    close: async () => {
      await Promise.all([...surfaces.values()].map(async (surface) => (await surface).close()));
    },
  };
};

/** Builds the protocol instance of one client: its capabilities and the handlers of its requests. */
import type {
  McpServer,
  Notification,
  Server,
  ServerCapabilities,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import { callStates } from './call/call-round.ts';
import { callTool } from './call/call-tool.ts';
import { PlainCalls } from './call/plain-calls.ts';
import { clientAbilities } from './client-link.ts';
import { TASKS_EXTENSION } from './flows/run-task.ts';
import { serveTasks } from './flows/serve-tasks.ts';
import { pageOf } from './lists/page.ts';
import { servePrompts } from './lists/serve-prompts.ts';
import { type Subscribed, serveResources } from './lists/serve-resources.ts';
import { protocolError } from './protocol-error.ts';
import type { McpSession } from './session.ts';
import type { ServerDeps, SurfaceDeps } from './surface-deps.ts';

/** An instance, and what is needed to notify its client of changes. */
export interface BuiltServer {
  readonly product: McpServer;
  /** The shortcut for its plain calls; none in the 2026-07-28 protocol. */
  readonly plainCalls: PlainCalls | undefined;
  /** Tells whether the client wants to know that this resource changed. */
  hears(uri: string): boolean;
}

const INSTRUCTIONS: Readonly<Record<SurfaceDeps['kind'], string>> = {
  full: 'Every call is checked against a policy and recorded. A call that waits for an approval has not run: make the very same call again once it is approved.',
  search:
    'Find tools with search_tools, read their schema with describe_tool, call them with call_tool. A call that waits for an approval has not run: make it again, unchanged, once it is approved.',
  code: 'Find tools with search_tools, then write a program that uses them and run it with run_code.',
};

/** Runs of flows are tasks: a part of 2025-11-25, an extension from 2026-07-28 on. */
const tasksOf = (era: ServerDeps['era']): ServerCapabilities =>
  era === 'legacy'
    ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
    : { extensions: { [TASKS_EXTENSION]: {} } };

/** Declares `listChanged` only for lists that can change. */
const capabilitiesOf = (
  { resources, prompts, flows }: SurfaceDeps,
  era: ServerDeps['era'],
): ServerCapabilities => ({
  tools: { listChanged: true },
  resources: { listChanged: resources.some(({ watch }) => watch), subscribe: true },
  prompts: { listChanged: prompts.some(({ watch }) => watch) },
  completions: {},
  ...(era === 'legacy' && { logging: {} }),
  ...(flows && tasksOf(era)),
});

/** Turns whatever a handler throws into an error of the protocol, without internals. */
const guardHandlers = (server: Server, { sdk, options }: SurfaceDeps): void => {
  type Handle = (request: unknown, ctx: ServerContext) => Promise<unknown>;
  const set = server.setRequestHandler.bind(server) as (
    method: string,
    ...rest: [handler: Handle] | [schemas: object, handler: Handle]
  ) => void;
  const guardedHandler =
    (handler: Handle): Handle =>
    async (request, ctx) => {
      try {
        return await handler(request, ctx);
      } catch (error) {
        throw protocolError(error, sdk, options.runtime.log);
      }
    };
  const guarded: typeof set = (method, first, handler?: Handle) =>
    handler
      ? set(method, first, guardedHandler(handler))
      : set(method, guardedHandler(first as Handle));
  server.setRequestHandler = guarded as typeof server.setRequestHandler;
};

const serveTools = (server: Server, deps: ServerDeps): void => {
  server.setRequestHandler('tools/list', async ({ params }) => {
    await deps.options.listed;
    const request = {
      cursor: params?.cursor,
      size: deps.pageSize,
      keyOf: ({ name }: Tool) => name,
    };
    const flows = (await deps.flows?.list(deps.session.caller)) ?? [];
    const { items, ...next } = pageOf([...deps.tools.all(), ...flows], request);
    return { tools: [...items], ...next };
  });
  server.setRequestHandler('tools/call', (request, ctx) => callTool(deps, request, ctx));
};

export const buildServer = (
  surface: SurfaceDeps,
  session: McpSession,
  era: ServerDeps['era'],
): BuiltServer => {
  const { sdk, crib, options, kind } = surface;
  const states = callStates(surface.stateKey, session, sdk);
  const product = new sdk.McpServer(
    { name: 'toolcrib', title: 'Toolcrib', version: options.version },
    {
      capabilities: capabilitiesOf(surface, era),
      instructions: options.instructions ?? INSTRUCTIONS[kind],
      requestState: { verify: states.verify },
    },
  );
  const { server } = product;
  // Headers that mirror a field of the input are compared with it by the library.
  product.toolInputSchemaJson = (name) => {
    const entry = surface.tools.entry(name);
    return entry && { ...crib.tools.inputSchema(entry.tool.name) };
  };
  const mayAsk = options.approvals !== 'inbox' && options.describe !== undefined;
  const deps: ServerDeps = {
    ...surface,
    session,
    era,
    states,
    ...clientAbilities(sdk, server, mayAsk),
    notify: (notification) => server.notification(notification as Notification),
    followed: new Set(),
  };
  const subscribed: Subscribed = new Map();
  guardHandlers(server, surface);
  serveTools(server, deps);
  serveResources(server, deps, subscribed);
  servePrompts(server, deps);
  if (deps.flows) serveTasks(server, deps);
  const plainCalls = era === 'legacy' ? new PlainCalls(deps, server) : undefined;
  server.onclose = () => {
    plainCalls?.close();
    for (const stop of deps.followed) stop();
    for (const stop of subscribed.values()) stop();
    subscribed.clear();
  };
  return {
    product,
    plainCalls,
    // From 2026-07-28 on the library keeps the subscriptions and notifies subscribers only.
    hears: (uri) => era === 'modern' || subscribed.has(uri),
  };
};

/** Implements `Servers`: state, logs, resources, templates and prompts of MCP servers. */
import type { Resource } from '@modelcontextprotocol/client';
import type {
  CompletionAsked,
  PromptText,
  ResourceAnnotations,
  ResourceText,
  ServerPrompt,
  ServerResource,
  ServerStatus,
  Servers,
  ServerTemplate,
} from '../../contract/servers.ts';
import { serverFlow } from './listing/flow-labels.ts';
import { failureOf, onServer, onServerUnasked, type SendOptions } from './on-server.ts';
import { sendRequest } from './send-request.ts';
import type { ServerSource } from './server-source.ts';

const statusOf = ({ link, listing }: ServerSource): ServerStatus => {
  const { settings, state, restarts, lastError, latencyMs, startedAt, connection } = link;
  const pid = connection?.transport.pid ?? undefined;
  return {
    name: settings.name,
    labels: serverFlow(settings),
    transport: settings.transport,
    state,
    tools: listing?.tools.length ?? 0,
    resources: listing?.resources ?? 0,
    prompts: listing?.prompts ?? 0,
    restarts,
    ...(pid !== undefined && { pid }),
    ...(connection && { protocol: connection.protocol }),
    ...(lastError !== undefined && { lastError }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(startedAt !== undefined && { startedAt }),
  };
};

/** Collects lists of all servers; one that fails counts as empty. */
const fromAll = async <T>(
  all: readonly ServerSource[],
  list: (one: ServerSource) => Promise<readonly T[]>,
): Promise<readonly T[]> => {
  const lists = await Promise.all(all.map((one) => list(one).catch(() => [])));
  return lists.flat();
};

/** Copies harmless fields only: an icon would be loaded from an address that the server chose. */
const detailsOf = ({ title, description, mimeType, annotations }: Partial<Resource>) => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(mimeType !== undefined && { mimeType }),
  ...(annotations !== undefined && { annotations: annotations as ResourceAnnotations }),
});

const resourcesOf = (one: ServerSource): Promise<readonly ServerResource[]> =>
  onServer(one, async ({ client }, timeout) => {
    if (!client.getServerCapabilities()?.resources) return [];
    const { resources } = await client.listResources(undefined, { timeout });
    return resources.map(({ uri, name, size, ...rest }) => ({
      server: one.link.settings.name,
      uri,
      name,
      ...detailsOf(rest),
      ...(size !== undefined && { size }),
    }));
  });

const templatesOf = (one: ServerSource): Promise<readonly ServerTemplate[]> =>
  onServer(one, async ({ client }, timeout) => {
    if (!client.getServerCapabilities()?.resources) return [];
    const { resourceTemplates } = await client.listResourceTemplates(undefined, { timeout });
    return resourceTemplates.map(({ uriTemplate, name, ...rest }) => ({
      server: one.link.settings.name,
      uriTemplate,
      name,
      ...detailsOf(rest),
    }));
  });

const completeAt = (
  one: ServerSource,
  asked: CompletionAsked,
  sending: SendOptions | undefined,
): Promise<readonly string[]> =>
  onServerUnasked(one, sending, async (client, options) => {
    if (!client.getServerCapabilities()?.completions) return [];
    const { of, argument, typed, given } = asked;
    const ref =
      'prompt' in of
        ? { type: 'ref/prompt' as const, name: of.prompt }
        : { type: 'ref/resource' as const, uri: of.template };
    const { completion } = await client.complete(
      {
        ref,
        argument: { name: argument, value: typed },
        ...(given && { context: { arguments: { ...given } } }),
      },
      options,
    );
    return completion.values;
  });

const promptsOf = (one: ServerSource): Promise<readonly ServerPrompt[]> =>
  onServer(one, async ({ client }, timeout) => {
    if (!client.getServerCapabilities()?.prompts) return [];
    const { prompts } = await client.listPrompts(undefined, { timeout });
    return prompts.map(({ name, title, description, arguments: parameters = [] }) => ({
      server: one.link.settings.name,
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      arguments: parameters.map((argument) => ({
        name: argument.name,
        ...(argument.description !== undefined && { description: argument.description }),
        required: argument.required === true,
      })),
    }));
  });

const readFrom = (
  one: ServerSource,
  uri: string,
  sending: SendOptions | undefined,
): Promise<readonly ResourceText[]> =>
  onServerUnasked(one, sending, async (client, options) => {
    const { contents } = await client.readResource({ uri }, options);
    return contents.map((part) => ({
      uri: part.uri,
      ...(part.mimeType !== undefined && { mimeType: part.mimeType }),
      ...('text' in part ? { text: part.text } : { blob: part.blob }),
    }));
  });

const promptFrom = (
  one: ServerSource,
  { name, args }: PromptAsked,
  sending: SendOptions | undefined,
): Promise<PromptText> =>
  onServerUnasked(one, sending, async (client, options) => {
    const { description, messages } = await client.getPrompt(
      { name, arguments: { ...args } },
      options,
    );
    return { ...(description !== undefined && { description }), messages };
  });

export interface PromptAsked {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

/** The requests to servers as nobody in particular: what judges and records them is above. */
export interface ServerRequests {
  /** Returns how long a server may take to answer. Throws NOT_FOUND. */
  timeoutMs(server: string): number;
  readResource(
    server: string,
    uri: string,
    options?: SendOptions,
  ): Promise<readonly ResourceText[]>;
  complete(
    server: string,
    asked: CompletionAsked,
    options?: SendOptions,
  ): Promise<readonly string[]>;
  subscribe(server: string, uri: string, changed: () => void): Promise<() => void>;
  getPrompt(server: string, asked: PromptAsked, options?: SendOptions): Promise<PromptText>;
}

/** What can be asked of the servers that there are. */
export type ServerViews = Omit<Servers, keyof ServerRequests | 'connect' | 'disconnect'> &
  ServerRequests;

/** Makes the views. `all` gives the present servers; `find` throws NOT_FOUND. */
export const createServerViews = (
  all: () => readonly ServerSource[],
  find: (name: string) => ServerSource,
): Omit<ServerViews, 'watch'> => {
  const enabled = (): readonly ServerSource[] => all().filter(({ link }) => link.settings.enabled);
  /** Returns the enabled servers, or the one of that name among them. */
  const named = (server: string | undefined): readonly ServerSource[] =>
    server === undefined
      ? enabled()
      : enabled().filter(({ link }) => link.settings.name === server);
  return {
    list: () => all().map(statusOf),
    test: async (name) => {
      const one = find(name);
      await onServer(one, async (connection) => {
        await one.link.check();
        // A connection opens before its tools are known: a server that never lists them is of no use.
        await one.refresh(connection);
      });
      one.warnOfTools();
      return statusOf(one);
    },
    logs: (name) => find(name).link.stderr.lines(),
    restart: async (name) => {
      const one = find(name);
      await one.link.restart().catch((error: unknown) => {
        throw failureOf(one, error);
      });
      return statusOf(one);
    },
    request: async (name, request) => sendRequest(find(name), request),
    timeoutMs: (name) => find(name).link.settings.timeoutMs,
    resources: (server) => fromAll(named(server), resourcesOf),
    readResource: async (server, uri, sending) => readFrom(find(server), uri, sending),
    templates: (server) => fromAll(named(server), templatesOf),
    complete: async (server, asked, sending) => completeAt(find(server), asked, sending),
    subscribe: async (server, uri, changed) => {
      const one = find(server);
      return onServer(one, (connection) => one.subscriptions.add(connection, uri, changed));
    },
    prompts: (server) => fromAll(named(server), promptsOf),
    getPrompt: async (server, asked, sending) => promptFrom(find(server), asked, sending),
  };
};

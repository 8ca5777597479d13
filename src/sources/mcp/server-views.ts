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
import { failureOf, onServer, onServerUnasked } from './on-server.ts';
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

const completeAt = (one: ServerSource, asked: CompletionAsked): Promise<readonly string[]> =>
  onServerUnasked(one, async (client, options) => {
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

const readFrom = (one: ServerSource, uri: string): Promise<readonly ResourceText[]> =>
  onServerUnasked(one, async (client, options) => {
    const { contents } = await client.readResource({ uri }, options);
    return contents.map((part) => ({
      uri: part.uri,
      ...(part.mimeType !== undefined && { mimeType: part.mimeType }),
      ...('text' in part ? { text: part.text } : { blob: part.blob }),
    }));
  });

const promptFrom = (
  one: ServerSource,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<PromptText> =>
  onServerUnasked(one, async (client, options) => {
    const { description, messages } = await client.getPrompt(
      { name, arguments: { ...args } },
      options,
    );
    return { ...(description !== undefined && { description }), messages };
  });

/** What can be asked of the servers that there are. */
export type ServerViews = Omit<Servers, 'connect' | 'disconnect'>;

/** `all` gives those that there are now; `find` throws NOT_FOUND. */
export const createServerViews = (
  all: () => readonly ServerSource[],
  find: (name: string) => ServerSource,
): Omit<ServerViews, 'watch'> => {
  const enabled = (): readonly ServerSource[] => all().filter(({ link }) => link.settings.enabled);
  return {
    list: () => all().map(statusOf),
    test: async (name) => {
      const one = find(name);
      await onServer(one, async (connection) => {
        await one.link.check();
        // A connection opens before its tools are known: a server that never lists them is of no use.
        await one.refresh(connection);
      });
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
    resources: () => fromAll(enabled(), resourcesOf),
    readResource: async (server, uri) => readFrom(find(server), uri),
    templates: () => fromAll(enabled(), templatesOf),
    complete: async (server, asked) => completeAt(find(server), asked),
    subscribe: async (server, uri, changed) => {
      const one = find(server);
      return onServer(one, (connection) => one.subscriptions.add(connection, uri, changed));
    },
    prompts: () => fromAll(enabled(), promptsOf),
    getPrompt: async (server, name, args) => promptFrom(find(server), name, args),
  };
};

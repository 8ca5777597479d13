/** The resource requests of a client, answered from the catalogs of the surface. */
import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../../contract/caller.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { ListedResource, ListedTemplate, ResourceCatalog } from './collection.ts';
import { pageOf } from './page.ts';

/** Joins the lists of all catalogs; one that fails is logged and left out. */
export const fromCatalogs = async <S extends { readonly label: string }, T>(
  catalogs: readonly S[],
  listOf: (catalog: S) => Promise<readonly T[]>,
  { options }: Pick<ServerDeps, 'options'>,
): Promise<readonly T[]> => {
  const lists = catalogs.map((catalog) =>
    listOf(catalog).catch((error: unknown): readonly T[] => {
      const cause = reasonOf(error);
      options.runtime.log.warn('a catalog could not be listed', { catalog: catalog.label, cause });
      return [];
    }),
  );
  return (await Promise.all(lists)).flat();
};

/** Keeps the first of several resources with one URI. */
const unique = (listed: readonly ListedResource[]): readonly ListedResource[] => {
  const byUri = new Map<string, ListedResource>();
  for (const each of listed) if (!byUri.has(each.uri)) byUri.set(each.uri, each);
  return [...byUri.values()];
};

const readFrom = async (deps: ServerDeps, uri: string) => {
  for (const catalog of deps.resources) {
    const contents = await catalog.read(uri, deps.session.caller);
    if (contents) return contents;
  }
  throw new deps.sdk.ResourceNotFoundError(uri);
};

const MAX_SUBSCRIPTIONS = 100;

/** Resources that a client subscribed to, each with how to stop. */
export type Subscribed = Map<string, () => void>;

export interface SubscriptionAsked {
  readonly uri: string;
  readonly caller: Partial<Caller>;
  changed(): void;
}

/**
 * Subscribes to a resource at its source. Where no catalog offers that, nothing ever changes. Rejects for a
 * caller that may not.
 */
export const subscribeAt = async (
  deps: Pick<ServerDeps, 'resources'>,
  { uri, caller, changed }: SubscriptionAsked,
): Promise<() => void> => {
  for (const catalog of deps.resources) {
    const stop = await catalog.subscribe?.(uri, changed, caller);
    if (stop) return stop;
  }
  return () => undefined;
};

/** Serves the subscriptions of clients of the 2025 protocols. */
const serveSubscriptions = (server: Server, deps: ServerDeps, subscribed: Subscribed): void => {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (subscribed.has(uri)) return {};
    if (subscribed.size >= MAX_SUBSCRIPTIONS) {
      const { ProtocolError, ProtocolErrorCode } = deps.sdk;
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'Too many subscriptions');
    }
    // Set before the first await, so that the same request again does not subscribe twice.
    subscribed.set(uri, () => undefined);
    const changed = (): void => void server.sendResourceUpdated({ uri }).catch(() => undefined);
    try {
      const stop = await subscribeAt(deps, { uri, caller: deps.session.caller, changed });
      if (subscribed.has(uri)) subscribed.set(uri, stop);
      else stop();
      return {};
    } catch (error) {
      subscribed.delete(uri);
      throw error;
    }
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    subscribed.get(params.uri)?.();
    subscribed.delete(params.uri);
    return {};
  });
};

/** Copies lists, because the library's types are mutable. */
const plain = <T extends Pick<ListedResource, 'annotations'>>({ annotations, ...item }: T) => {
  const { audience, ...rest } = annotations ?? {};
  return {
    ...item,
    ...(annotations && { annotations: { ...rest, ...(audience && { audience: [...audience] }) } }),
  };
};

type Content = Awaited<ReturnType<ResourceCatalog['read']>>;

const asContents = (contents: NonNullable<Content>) =>
  contents.map(({ uri, mimeType, text, blob }) => ({
    uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(blob === undefined ? { text: text ?? '' } : { blob }),
  }));

export const serveResources = (server: Server, deps: ServerDeps, subscribed: Subscribed): void => {
  const { pageSize: size } = deps;
  server.setRequestHandler('resources/list', async ({ params }) => {
    const listed = await fromCatalogs(
      deps.resources,
      (catalog) => catalog.list(deps.session.caller),
      deps,
    );
    const request = { cursor: params?.cursor, size, keyOf: ({ uri }: ListedResource) => uri };
    const { items, ...next } = pageOf(unique(listed), request);
    return { resources: items.map(plain), ...next };
  });
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    const listed = await fromCatalogs(
      deps.resources,
      async (catalog) => (await catalog.templates?.(deps.session.caller)) ?? [],
      deps,
    );
    const keyOf = ({ uriTemplate }: ListedTemplate) => uriTemplate;
    const { items, ...next } = pageOf(listed, { cursor: params?.cursor, size, keyOf });
    return { resourceTemplates: items.map(plain), ...next };
  });
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: asContents(await readFrom(deps, params.uri)),
  }));
  if (deps.era === 'legacy') serveSubscriptions(server, deps, subscribed);
};

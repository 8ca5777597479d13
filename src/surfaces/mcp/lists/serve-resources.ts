/** The resource requests of a client, answered from the shelves of the surface. */
import type { Server } from '@modelcontextprotocol/server';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { ListedResource, ListedTemplate, ResourceCatalog } from './collection.ts';
import { pageOf } from './page.ts';

/** One shelf that fails is left out. */
export const fromShelves = async <S extends { readonly label: string }, T>(
  shelves: readonly S[],
  take: (shelf: S) => Promise<readonly T[]>,
  { options }: Pick<ServerDeps, 'options'>,
): Promise<readonly T[]> => {
  const taken = shelves.map((shelf) =>
    take(shelf).catch((error: unknown): readonly T[] => {
      const cause = reasonOf(error);
      options.runtime.log.warn('a shelf could not be listed', { shelf: shelf.label, cause });
      return [];
    }),
  );
  return (await Promise.all(taken)).flat();
};

/** The first shelf that lists a URI has it. */
const unique = (listed: readonly ListedResource[]): readonly ListedResource[] => {
  const byUri = new Map<string, ListedResource>();
  for (const each of listed) if (!byUri.has(each.uri)) byUri.set(each.uri, each);
  return [...byUri.values()];
};

const readFrom = async (deps: ServerDeps, uri: string) => {
  for (const shelf of deps.resources) {
    const contents = await shelf.read(uri, deps.session.caller);
    if (contents) return contents;
  }
  throw new deps.sdk.ResourceNotFoundError(uri);
};

const MAX_SUBSCRIPTIONS = 100;

/** Resources that a client subscribed to, each with how to stop. */
export type Subscribed = Map<string, () => void>;

/** Subscribes where the resource comes from, so that the client hears of changes there. */
export const subscribeAt = async (
  deps: Pick<ServerDeps, 'resources'>,
  uri: string,
  changed: () => void,
): Promise<() => void> => {
  for (const shelf of deps.resources) {
    const stop = await shelf.subscribe?.(uri, changed);
    if (stop) return stop;
  }
  return () => undefined;
};

/** What a client of the 2025 protocols wants to hear about. */
const serveSubscriptions = (server: Server, deps: ServerDeps, subscribed: Subscribed): void => {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (subscribed.has(uri)) return {};
    if (subscribed.size >= MAX_SUBSCRIPTIONS) {
      const { ProtocolError, ProtocolErrorCode } = deps.sdk;
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'Too many subscriptions');
    }
    // Taken before anything is awaited: the same request again must not subscribe twice.
    subscribed.set(uri, () => undefined);
    const changed = (): void => void server.sendResourceUpdated({ uri }).catch(() => undefined);
    try {
      const stop = await subscribeAt(deps, uri, changed);
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

/** As the library wants it: lists that it could change. */
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
  const { sdk, pageSize: size } = deps;
  server.setRequestHandler('resources/list', async ({ params }) => {
    const listed = await fromShelves(
      deps.resources,
      (shelf) => shelf.list(deps.session.caller),
      deps,
    );
    const request = { cursor: params?.cursor, size, keyOf: ({ uri }: ListedResource) => uri };
    const { items, ...next } = pageOf(unique(listed), request, sdk);
    return { resources: items.map(plain), ...next };
  });
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    const listed = await fromShelves(
      deps.resources,
      async (shelf) => (await shelf.templates?.()) ?? [],
      deps,
    );
    const keyOf = ({ uriTemplate }: ListedTemplate) => uriTemplate;
    const { items, ...next } = pageOf(listed, { cursor: params?.cursor, size, keyOf }, sdk);
    return { resourceTemplates: items.map(plain), ...next };
  });
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: asContents(await readFrom(deps, params.uri)),
  }));
  if (deps.era === 'legacy') serveSubscriptions(server, deps, subscribed);
};

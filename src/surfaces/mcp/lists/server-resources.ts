/**
 * Resources and prompts of the servers behind the crib, under names with that of the server. Each read is a
 * governed call of the client that asks.
 */
import type { Caller } from '../../../contract/caller.ts';
import type { ServerPrompt, Servers } from '../../../contract/servers.ts';
import type { Sdk } from '../load-sdk.ts';
import type { PromptCatalog, ResourceCatalog } from './collection.ts';
import {
  addressOf,
  expanded,
  isTemplateAddress,
  originOf,
  templateAddressOf,
} from './resource-address.ts';

/** The prefix by which a caller's list of tools lets it read a server beside calling the server's tools. */
const LISTED = 'server:';

/** Tells whether a client is shown what a server has; the pipeline judges each read of it again. */
const isShownTo = ({ tools }: Partial<Caller>, server: string): boolean =>
  tools === undefined || tools.includes(`${LISTED}${server}`);

/** Tells whether a surface that is limited to some servers offers this one. */
const isOffered = (server: string, only: readonly string[] | undefined): boolean =>
  only === undefined || only.includes(server);

/** Where addresses may lead. */
interface Reach {
  readonly servers: Servers;
  readonly sdk: Sdk;
  /** The only servers that the surface offers; all when absent. */
  readonly only: readonly string[] | undefined;
}

const isConfigured = ({ servers, only }: Reach, server: string): boolean =>
  isOffered(server, only) && servers.list().some(({ name }) => name === server);

/** Lists what the servers have that a client is shown. Asks no other: that would start it. */
const shownTo = async <T extends { readonly server: string }>(
  caller: Partial<Caller>,
  { servers, only }: Pick<Reach, 'servers' | 'only'>,
  list: (server: string) => Promise<readonly T[]>,
): Promise<readonly T[]> => {
  const shown = servers
    .list()
    .filter(({ name }) => isOffered(name, only) && isShownTo(caller, name));
  const lists = shown.map(async ({ name }) =>
    (await list(name)).filter(({ server }) => server === name),
  );
  return (await Promise.all(lists)).flat();
};

/** Finds server and URI behind an address: of a listed resource, or of a template with its values. */
const locate = (
  reach: Reach,
  address: string,
): { readonly server: string; readonly uri: string } | undefined => {
  const origin = originOf(address);
  if (!origin || !isConfigured(reach, origin.server)) return undefined;
  const uri = expanded(reach.sdk, origin);
  return uri === undefined ? undefined : { server: origin.server, uri };
};

export const serverResources = (
  servers: Servers,
  sdk: Sdk,
  only?: readonly string[],
): ResourceCatalog => {
  const reach = { servers, sdk, only };
  return {
    label: 'servers',
    list: async (caller) =>
      (await shownTo(caller, reach, (server) => servers.resources(server))).map(
        ({ server, uri, name, ...rest }) => ({
          ...rest,
          uri: addressOf(server, uri),
          name: `${server}: ${name}`,
        }),
      ),
    templates: async (caller) =>
      (await shownTo(caller, reach, (server) => servers.templates(server))).flatMap(
        ({ server, uriTemplate, name, ...rest }) => {
          const address = templateAddressOf(sdk, server, uriTemplate);
          return address === undefined
            ? []
            : [{ ...rest, uriTemplate: address, name: `${server}: ${name}` }];
        },
      ),
    watch: (changed) => servers.watch((list) => list === 'resources' && changed()),
    read: async (address, caller) => {
      const target = locate(reach, address);
      if (!target) return undefined;
      const contents = await servers.readResource(target.server, target.uri, caller);
      return contents.map((content) => ({
        ...content,
        uri: addressOf(target.server, content.uri),
      }));
    },
    subscribe: async (address, changed, caller) => {
      const target = locate(reach, address);
      return target && servers.subscribe(target.server, target.uri, changed, caller);
    },
    complete: async ({ template, ...asked }, caller) => {
      const origin = isTemplateAddress(template)
        ? originOf(template.split('{')[0] ?? '')
        : undefined;
      if (!origin || !isConfigured(reach, origin.server)) return undefined;
      const completion = { ...asked, of: { template: origin.uri } };
      return servers.complete(origin.server, completion, caller);
    },
  };
};

type PromptId = Pick<ServerPrompt, 'server' | 'name'>;

const promptName = ({ server, name }: PromptId): string => `${server}.${name}`;

export const serverPrompts = (servers: Servers, only?: readonly string[]): PromptCatalog => {
  /** Finds the prompt behind a name. Asks no server but its own, and none that the caller may not read. */
  const find = async (fullName: string, caller: Partial<Caller>): Promise<PromptId | undefined> => {
    const named = servers.list().flatMap(({ name: server }) => {
      const isOwn =
        isOffered(server, only) && fullName.startsWith(promptName({ server, name: '' }));
      return isOwn ? [{ server, name: fullName.slice(server.length + 1) }] : [];
    });
    for (const { server, name } of named) {
      if (!isShownTo(caller, server)) continue;
      const prompts = await servers.prompts(server);
      if (prompts.some((each) => each.server === server && each.name === name)) {
        return { server, name };
      }
    }
    // The call of it is refused, and that is on record.
    return named.find(({ server }) => !isShownTo(caller, server));
  };
  return {
    label: 'servers',
    list: async (caller) =>
      (await shownTo(caller, { servers, only }, (server) => servers.prompts(server))).map(
        ({ server, name, ...rest }) => ({ ...rest, name: promptName({ server, name }) }),
      ),
    watch: (changed) => servers.watch((list) => list === 'prompts' && changed()),
    get: async ({ name, args }, caller) => {
      const listed = await find(name, caller);
      return listed && servers.getPrompt(listed.server, listed.name, args, caller);
    },
    complete: async ({ prompt, ...asked }, caller) => {
      const listed = await find(prompt, caller);
      const completion = listed && { ...asked, of: { prompt: listed.name } };
      return completion && servers.complete(listed.server, completion, caller);
    },
  };
};

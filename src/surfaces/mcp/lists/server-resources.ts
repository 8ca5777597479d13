/** Resources and prompts of the servers behind the crib, under names with that of the server. */
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

const isConfigured = (servers: Servers, server: string): boolean =>
  servers.list().some(({ name }) => name === server);

/** Finds server and URI behind an address: of a listed resource, or of a template with its values. */
const locate = (
  servers: Servers,
  sdk: Sdk,
  address: string,
): { readonly server: string; readonly uri: string } | undefined => {
  const origin = originOf(address);
  if (!origin || !isConfigured(servers, origin.server)) return undefined;
  const uri = expanded(sdk, origin);
  return uri === undefined ? undefined : { server: origin.server, uri };
};

export const serverResources = (servers: Servers, sdk: Sdk): ResourceCatalog => ({
  label: 'servers',
  list: async () =>
    (await servers.resources()).map(({ server, uri, name, ...rest }) => ({
      ...rest,
      uri: addressOf(server, uri),
      name: `${server}: ${name}`,
    })),
  templates: async () =>
    (await servers.templates()).flatMap(({ server, uriTemplate, name, ...rest }) => {
      const address = templateAddressOf(sdk, server, uriTemplate);
      return address === undefined
        ? []
        : [{ ...rest, uriTemplate: address, name: `${server}: ${name}` }];
    }),
  watch: (changed) => servers.watch((list) => list === 'resources' && changed()),
  read: async (address) => {
    const target = locate(servers, sdk, address);
    if (!target) return undefined;
    const contents = await servers.readResource(target.server, target.uri);
    return contents.map((content) => ({ ...content, uri: addressOf(target.server, content.uri) }));
  },
  subscribe: async (address, changed) => {
    const target = locate(servers, sdk, address);
    return target && servers.subscribe(target.server, target.uri, changed);
  },
  complete: async ({ template, ...asked }) => {
    const origin = isTemplateAddress(template) ? originOf(template.split('{')[0] ?? '') : undefined;
    if (!origin || !isConfigured(servers, origin.server)) return undefined;
    return servers.complete(origin.server, { ...asked, of: { template: origin.uri } });
  },
});

const promptName = ({ server, name }: Pick<ServerPrompt, 'server' | 'name'>): string =>
  `${server}.${name}`;

export const serverPrompts = (servers: Servers): PromptCatalog => {
  const find = async (name: string): Promise<ServerPrompt | undefined> =>
    (await servers.prompts()).find((each) => promptName(each) === name);
  return {
    label: 'servers',
    list: async () =>
      (await servers.prompts()).map(({ server, name, ...rest }) => ({
        ...rest,
        name: promptName({ server, name }),
      })),
    watch: (changed) => servers.watch((list) => list === 'prompts' && changed()),
    get: async ({ name, args }) => {
      const listed = await find(name);
      return listed && servers.getPrompt(listed.server, listed.name, args);
    },
    complete: async ({ prompt, ...asked }) => {
      const listed = await find(prompt);
      return listed && servers.complete(listed.server, { ...asked, of: { prompt: listed.name } });
    },
  };
};

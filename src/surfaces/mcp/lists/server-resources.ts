/** Resources and prompts of the servers behind the crib, under names that say whose they are. */
import type { Servers } from '../../../contract/servers.ts';
import type { PromptShelf, ResourceShelf } from './collection.ts';

const START = 'toolcrib://servers/';

const addressOf = (server: string, uri: string): string =>
  `${START}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`;

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
};

const originOf = (address: string): { server: string; uri: string } | undefined => {
  if (!address.startsWith(START)) return undefined;
  const [first = '', second = '', ...more] = address.slice(START.length).split('/');
  const [server, uri] = [decoded(first), decoded(second)];
  const isWhole = server !== undefined && uri !== undefined && more.length === 0 && uri !== '';
  return isWhole ? { server, uri } : undefined;
};

export const serverResources = (servers: Servers): ResourceShelf => ({
  label: 'servers',
  list: async () =>
    (await servers.resources()).map(({ server, uri, name, ...rest }) => ({
      ...rest,
      uri: addressOf(server, uri),
      name: `${server}: ${name}`,
    })),
  read: async (address) => {
    const origin = originOf(address);
    if (!origin || !servers.list().some(({ name }) => name === origin.server)) return undefined;
    const contents = await servers.readResource(origin.server, origin.uri);
    return contents.map((content) => ({ ...content, uri: addressOf(origin.server, content.uri) }));
  },
});

const promptName = (server: string, name: string): string => `${server}.${name}`;

export const serverPrompts = (servers: Servers): PromptShelf => ({
  label: 'servers',
  list: async () =>
    (await servers.prompts()).map(({ server, name, ...rest }) => ({
      ...rest,
      name: promptName(server, name),
    })),
  get: async ({ name, args }) => {
    const all = await servers.prompts();
    const found = all.find((each) => promptName(each.server, each.name) === name);
    return found && servers.getPrompt(found.server, found.name, args);
  },
});

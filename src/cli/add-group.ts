/**
 * The groups of commands that add sources of tools and look after them. The file of a command is loaded when it
 * is used.
 */
import {
  ADD_KINDS,
  type ConfiguredKind,
  INSTALLED_KINDS,
  type InstalledKind,
  loadKind,
} from './commands/add/kinds.ts';
import type { GroupEntry } from './program.ts';

const commandOf = (entry: ConfiguredKind | InstalledKind): GroupEntry['commands'][number] => ({
  name: entry.kind,
  aliases: entry.aliases ?? [],
  summary: entry.summary,
  load: async () => {
    const [{ addCommandOf }, kind] = await Promise.all([
      import('./commands/add/add-command.ts'),
      loadKind(entry),
    ]);
    return addCommandOf(kind);
  },
});

export const ADD: GroupEntry = {
  name: 'add',
  summary: 'add tools from outside: MCP servers, APIs, workflows, packages',
  examples: [
    'toolcrib add https://petstore3.swagger.io/api/v3/openapi.json --dry-run',
    'toolcrib add ./openapi.yml --name shop',
    'toolcrib add mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .',
  ],
  commands: [
    {
      name: 'guess',
      summary: 'guess the kind of an address and add it; the default of `add`',
      isDefault: true,
      judgesWords: true,
      load: async () => (await import('./commands/add/add-guess.ts')).addGuessCommand,
    },
    {
      name: 'mcp',
      summary: 'an MCP server: the address of a running one, or the program to start',
      load: async () => (await import('./commands/add/add-mcp.ts')).addMcpCommand,
    },
    ...[...ADD_KINDS, ...INSTALLED_KINDS].map(commandOf),
  ],
};

export const SOURCES: GroupEntry = {
  name: 'sources',
  summary: 'list, re-read and remove APIs, workflows and other sources of tools',
  examples: [
    'toolcrib sources',
    'toolcrib sources refresh petstore',
    'toolcrib sources info petstore',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list all sources, MCP servers included; the default of `sources`',
      isDefault: true,
      load: async () => (await import('./commands/sources/sources-list.ts')).sourcesListCommand,
    },
    {
      name: 'refresh',
      summary: 'read the definitions of one or all sources again, and show what changed',
      load: async () =>
        (await import('./commands/sources/sources-refresh.ts')).sourcesRefreshCommand,
    },
    {
      name: 'test',
      summary: 'read the definitions of a source and list its tools',
      load: async () => (await import('./commands/sources/sources-refresh.ts')).sourcesTestCommand,
    },
    {
      name: 'info',
      summary: 'show the settings, the state and the tools of a source',
      load: async () => (await import('./commands/sources/sources-info.ts')).sourcesInfoCommand,
    },
    {
      name: 'remove',
      summary: 'remove a source from the configuration',
      load: async () => (await import('./commands/sources/sources-remove.ts')).sourcesRemoveCommand,
    },
    {
      name: 'login',
      summary: 'log in to an API with your browser; tokens are stored as secrets',
      load: async () => (await import('./commands/sources/sources-login.ts')).sourcesLoginCommand,
    },
    {
      name: 'logout',
      summary: 'log out of an API: revoke its tokens there and delete them here',
      load: async () => (await import('./commands/sources/sources-login.ts')).sourcesLogoutCommand,
    },
    {
      name: 'enable',
      summary: 'switch a source on',
      load: async () => (await import('./commands/sources/sources-switch.ts')).sourcesEnableCommand,
    },
    {
      name: 'disable',
      summary: 'switch a source off',
      load: async () =>
        (await import('./commands/sources/sources-switch.ts')).sourcesDisableCommand,
    },
  ],
};

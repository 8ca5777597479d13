/**
 * The groups of commands about tools, MCP servers, and the credentials of both. The file of a command is loaded
 * when it is used.
 */
import type { GroupEntry } from './program.ts';

export const TOOLS: GroupEntry = {
  name: 'tools',
  summary: 'list, search, inspect and switch tools',
  examples: ['toolcrib tools', 'toolcrib tools info write_file', 'toolcrib tools tokens --price 3'],
  commands: [
    {
      name: 'list',
      summary: 'list the tools; the default of `tools`',
      isDefault: true,
      judgesWords: true,
      load: async () => (await import('./commands/tools/tools-list.ts')).toolsListCommand,
    },
    {
      name: 'info',
      summary: 'show everything about a tool',
      load: async () => (await import('./commands/tools/tools-info.ts')).toolsInfoCommand,
    },
    {
      name: 'search',
      summary: 'search tools by what they do',
      load: async () => (await import('./commands/tools/tools-search.ts')).toolsSearchCommand,
    },
    {
      name: 'tokens',
      summary: 'show what the definitions cost in prompt tokens',
      load: async () => (await import('./commands/tools/tools-tokens.ts')).toolsTokensCommand,
    },
    {
      name: 'health',
      summary: 'check whether the tools would work now',
      load: async () => (await import('./commands/tools/tools-health.ts')).toolsHealthCommand,
    },
    {
      name: 'enable',
      summary: 'switch a tool on in this project',
      load: async () => (await import('./commands/tools/tools-switch.ts')).toolsEnableCommand,
    },
    {
      name: 'disable',
      summary: 'switch a tool off in this project',
      load: async () => (await import('./commands/tools/tools-switch.ts')).toolsDisableCommand,
    },
    {
      name: 'new',
      summary: 'create a tool of your own from a template',
      load: async () => (await import('./commands/tools/tools-new.ts')).toolsNewCommand,
    },
    {
      name: 'test',
      summary: 'run the examples of a tool of your own',
      load: async () => (await import('./commands/tools/tools-test.ts')).toolsTestCommand,
    },
    {
      name: 'pack',
      summary: 'make a package of a tool of your own, to install elsewhere',
      load: async () => (await import('./commands/tools/tools-pack.ts')).toolsPackCommand,
    },
    {
      name: 'lock',
      summary: 'show which tools from outside are accepted',
      load: async () => (await import('./commands/tools/tools-lock.ts')).toolsLockCommand,
    },
    {
      name: 'verify',
      summary: 'fail when a tool from outside is not what was accepted; for CI',
      load: async () => (await import('./commands/tools/tools-lock.ts')).toolsVerifyCommand,
    },
    {
      name: 'accept',
      summary: 'accept tools from outside: they leave quarantine',
      load: async () => (await import('./commands/tools/tools-lock.ts')).toolsAcceptCommand,
    },
  ],
};

export const SERVERS: GroupEntry = {
  name: 'servers',
  summary: 'add, list and test MCP servers',
  examples: [
    'toolcrib servers',
    'toolcrib servers add files -- npx -y @modelcontextprotocol/server-filesystem .',
    'toolcrib servers import --dry-run',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the MCP servers and their state; the default of `servers`',
      isDefault: true,
      load: async () => (await import('./commands/servers/servers-list.ts')).serversListCommand,
    },
    {
      name: 'add',
      summary: 'add an MCP server to your configuration',
      load: async () => (await import('./commands/servers/servers-add.ts')).serversAddCommand,
    },
    {
      name: 'remove',
      summary: 'remove an MCP server from the configuration',
      load: async () => (await import('./commands/servers/servers-remove.ts')).serversRemoveCommand,
    },
    {
      name: 'enable',
      summary: 'switch an MCP server on',
      load: async () => (await import('./commands/servers/servers-switch.ts')).serversEnableCommand,
    },
    {
      name: 'disable',
      summary: 'switch an MCP server off',
      load: async () =>
        (await import('./commands/servers/servers-switch.ts')).serversDisableCommand,
    },
    {
      name: 'test',
      summary: 'start an MCP server, ping it and list its tools',
      load: async () => (await import('./commands/servers/servers-test.ts')).serversTestCommand,
    },
    {
      name: 'logs',
      summary: 'start an MCP server and show what it writes to stderr',
      load: async () => (await import('./commands/servers/servers-test.ts')).serversLogsCommand,
    },
    {
      name: 'restart',
      summary: 'restart an MCP server, also one that was given up',
      load: async () => (await import('./commands/servers/servers-test.ts')).serversRestartCommand,
    },
    {
      name: 'login',
      summary: 'log in to a remote MCP server with your browser; tokens are stored as secrets',
      load: async () => (await import('./commands/servers/servers-login.ts')).serversLoginCommand,
    },
    {
      name: 'logout',
      summary: 'log out of a remote MCP server: revoke its tokens there and delete them here',
      load: async () => (await import('./commands/servers/servers-login.ts')).serversLogoutCommand,
    },
    {
      name: 'import',
      summary: 'import the servers of other programs',
      load: async () => (await import('./commands/servers/servers-import.ts')).serversImportCommand,
    },
  ],
};

export const SECRETS: GroupEntry = {
  name: 'secrets',
  summary: 'store the credentials that tools need',
  examples: [
    'toolcrib secrets',
    'toolcrib secrets set STRIPE_SECRET_KEY',
    'toolcrib secrets remove STRIPE_SECRET_KEY',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the keys, never the values; the default of `secrets`',
      isDefault: true,
      load: async () => (await import('./commands/secrets/secrets.ts')).secretsListCommand,
    },
    {
      name: 'set',
      summary: 'store a secret; type its value when asked, or pipe it in',
      load: async () => (await import('./commands/secrets/secrets.ts')).secretsSetCommand,
    },
    {
      name: 'remove',
      summary: 'delete a secret',
      load: async () => (await import('./commands/secrets/secrets.ts')).secretsRemoveCommand,
    },
  ],
};

export const TOKENS: GroupEntry = {
  name: 'tokens',
  summary: 'create and revoke tokens for the HTTP API',
  examples: [
    'toolcrib tokens create ci --role agent --tools calculator,web_search --expires 30d',
    'toolcrib tokens',
    'toolcrib tokens revoke ci',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the tokens; the default of `tokens`',
      isDefault: true,
      load: async () => (await import('./commands/tokens/tokens.ts')).tokensListCommand,
    },
    {
      name: 'create',
      summary: 'create a token for the HTTP API; it is shown once',
      load: async () => (await import('./commands/tokens/tokens.ts')).tokensCreateCommand,
    },
    {
      name: 'revoke',
      summary: 'revoke a token, at once',
      load: async () => (await import('./commands/tokens/tokens.ts')).tokensRevokeCommand,
    },
  ],
};

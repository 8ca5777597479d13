/** The commands below `toolcrib tokens`, as the program knows them before their files are loaded. */
import type { GroupEntry } from './command-entry.ts';

export const TOKEN_COMMANDS: GroupEntry = {
  name: 'tokens',
  summary: 'who may use the HTTP API, and as what',
  examples: [
    'toolcrib tokens create ci --role agent --tools calculator,web_search --expires 30d',
    'toolcrib tokens',
    'toolcrib tokens revoke ci',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the tokens; what `tokens` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/tokens/tokens-list.ts')).tokensListCommand,
    },
    {
      name: 'create',
      summary: 'make a token, which is shown once',
      load: async () => (await import('./commands/tokens/tokens-create.ts')).tokensCreateCommand,
    },
    {
      name: 'revoke',
      summary: 'make a token useless, at once',
      load: async () => (await import('./commands/tokens/tokens-revoke.ts')).tokensRevokeCommand,
    },
  ],
};

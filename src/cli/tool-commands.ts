/** The commands below `toolcrib tools`, as the program knows them before their files are loaded. */
import type { GroupEntry } from './command-entry.ts';

export const TOOL_COMMANDS: GroupEntry = {
  name: 'tools',
  summary: 'list, search, inspect and switch tools',
  examples: ['toolcrib tools', 'toolcrib tools info write_file', 'toolcrib tools tokens --price 3'],
  commands: [
    {
      name: 'list',
      summary: 'list the tools; what `tools` does by itself',
      isDefault: true,
      judgesWords: true,
      load: async () => (await import('./commands/tools/tools-list.ts')).toolsListCommand,
    },
    {
      name: 'info',
      summary: 'everything about a tool',
      load: async () => (await import('./commands/tools/tools-info.ts')).toolsInfoCommand,
    },
    {
      name: 'search',
      summary: 'search by what a tool does',
      load: async () => (await import('./commands/tools/tools-search.ts')).toolsSearchCommand,
    },
    {
      name: 'tokens',
      summary: 'what the definitions cost in prompt tokens',
      load: async () => (await import('./commands/tools/tools-tokens.ts')).toolsTokensCommand,
    },
    {
      name: 'health',
      summary: 'would the tools work if they were called now',
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
      summary: 'write a tool of your own that works',
      load: async () => (await import('./commands/tools/tools-new.ts')).toolsNewCommand,
    },
    {
      name: 'test',
      summary: 'run the examples of a tool of your own',
      load: async () => (await import('./commands/tools/tools-test.ts')).toolsTestCommand,
    },
    {
      name: 'lock',
      summary: 'what is accepted of the tools from outside, what is not',
      load: async () => (await import('./commands/tools/tools-lock.ts')).toolsLockCommand,
    },
    {
      name: 'verify',
      summary: 'fail when a tool from outside is not what was accepted',
      load: async () => (await import('./commands/tools/tools-verify.ts')).toolsVerifyCommand,
    },
    {
      name: 'accept',
      summary: 'let tools from outside out of quarantine',
      load: async () => (await import('./commands/tools/tools-accept.ts')).toolsAcceptCommand,
    },
  ],
};

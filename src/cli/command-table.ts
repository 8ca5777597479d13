/** Every command with its one-line summary. The file of a command is loaded when it is used. */
import type { CommandEntry, GroupEntry } from './command-entry.ts';

const TOOLS: GroupEntry = {
  name: 'tools',
  summary: 'list, search, inspect and switch tools',
  examples: ['toolcrib tools', 'toolcrib tools info write_file', 'toolcrib tools tokens --price 3'],
  commands: [
    {
      name: 'list',
      summary: 'list the tools; what `tools` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/tools-list.ts')).toolsListCommand,
    },
    {
      name: 'info',
      summary: 'everything about a tool',
      load: async () => (await import('./commands/tools-info.ts')).toolsInfoCommand,
    },
    {
      name: 'search',
      summary: 'search by what a tool does',
      load: async () => (await import('./commands/tools-search.ts')).toolsSearchCommand,
    },
    {
      name: 'tokens',
      summary: 'what the definitions cost in prompt tokens',
      load: async () => (await import('./commands/tools-tokens.ts')).toolsTokensCommand,
    },
    {
      name: 'enable',
      summary: 'switch a tool on in this project',
      load: async () => (await import('./commands/tools-switch.ts')).toolsEnableCommand,
    },
    {
      name: 'disable',
      summary: 'switch a tool off in this project',
      load: async () => (await import('./commands/tools-switch.ts')).toolsDisableCommand,
    },
  ],
};

const APPROVALS: GroupEntry = {
  name: 'approvals',
  summary: 'decide on calls that wait for a person',
  examples: [
    'toolcrib approvals',
    'toolcrib approvals show <id>',
    'toolcrib approvals approve <id>',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list what waits; what `approvals` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/approvals-list.ts')).approvalsListCommand,
    },
    {
      name: 'show',
      summary: 'the exact call that waits',
      load: async () => (await import('./commands/approvals-show.ts')).approvalsShowCommand,
    },
    {
      name: 'approve',
      summary: 'say yes to a call that waits',
      load: async () => (await import('./commands/approvals-decide.ts')).approvalsApproveCommand,
    },
    {
      name: 'deny',
      summary: 'say no to a call that waits',
      load: async () => (await import('./commands/approvals-decide.ts')).approvalsDenyCommand,
    },
  ],
};

const AUDIT: GroupEntry = {
  name: 'audit',
  summary: 'read and verify the record of every call',
  examples: [
    'toolcrib audit --since 2h',
    'toolcrib audit show <executionId>',
    'toolcrib audit verify',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list calls, newest first; what `audit` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/audit-list.ts')).auditListCommand,
    },
    {
      name: 'show',
      summary: 'all that is on record of one call',
      load: async () => (await import('./commands/audit-show.ts')).auditShowCommand,
    },
    {
      name: 'verify',
      summary: 'check that nothing was edited or removed',
      load: async () => (await import('./commands/audit-verify.ts')).auditVerifyCommand,
    },
  ],
};

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'set up a project: .toolcrib/config.yml',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    name: 'run',
    summary: 'call a tool',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  TOOLS,
  APPROVALS,
  AUDIT,
  {
    name: 'undo',
    summary: 'restore the files a call changed',
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  {
    name: 'doctor',
    summary: 'check this machine and project, and say how to fix what is wrong',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
];

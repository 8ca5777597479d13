/** Every command with its one-line summary. The file of a command is loaded when it is used. */
import type { CommandEntry, GroupEntry } from './command-entry.ts';
import { TOKEN_COMMANDS } from './token-commands.ts';
import { TOOL_COMMANDS } from './tool-commands.ts';

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
      load: async () =>
        (await import('./commands/approvals/approvals-list.ts')).approvalsListCommand,
    },
    {
      name: 'show',
      summary: 'the exact call that waits',
      load: async () =>
        (await import('./commands/approvals/approvals-show.ts')).approvalsShowCommand,
    },
    {
      name: 'approve',
      summary: 'say yes to a call that waits',
      load: async () =>
        (await import('./commands/approvals/approvals-decide.ts')).approvalsApproveCommand,
    },
    {
      name: 'deny',
      summary: 'say no to a call that waits',
      load: async () =>
        (await import('./commands/approvals/approvals-decide.ts')).approvalsDenyCommand,
    },
    {
      name: 'link',
      summary: 'links that answer a call that waits',
      load: async () =>
        (await import('./commands/approvals/approvals-link.ts')).approvalsLinkCommand,
    },
    {
      name: 'redeem',
      summary: 'answer by a link',
      load: async () =>
        (await import('./commands/approvals/approvals-link.ts')).approvalsRedeemCommand,
    },
  ],
};

const PERMISSIONS: GroupEntry = {
  name: 'permissions',
  summary: 'allow somebody something until it is taken back',
  examples: [
    'toolcrib permissions',
    'toolcrib permissions grant tool:web_search --user ada --expires 8h',
    'toolcrib permissions revoke <id>',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the standing grants; what `permissions` does by itself',
      isDefault: true,
      load: async () =>
        (await import('./commands/permissions/permissions-list.ts')).permissionsListCommand,
    },
    {
      name: 'grant',
      summary: 'allow somebody something',
      load: async () =>
        (await import('./commands/permissions/permissions-grant.ts')).permissionsGrantCommand,
    },
    {
      name: 'revoke',
      summary: 'take a grant back',
      load: async () =>
        (await import('./commands/permissions/permissions-revoke.ts')).permissionsRevokeCommand,
    },
  ],
};

const POLICY: GroupEntry = {
  name: 'policy',
  summary: 'explain, check and test the rules',
  examples: [
    'toolcrib policy explain write_file path=a.txt content=x',
    'toolcrib policy test policy.test.yml',
    'toolcrib policy replay --policy new.yml --since 7d',
  ],
  commands: [
    {
      name: 'explain',
      summary: 'which rule decides about a call, and why',
      load: async () => (await import('./commands/policy/policy-explain.ts')).policyExplainCommand,
    },
    {
      name: 'check',
      summary: 'are the files of rules sound? what `policy` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/policy/policy-check.ts')).policyCheckCommand,
    },
    {
      name: 'test',
      summary: 'put the cases of a file to the rules',
      load: async () => (await import('./commands/policy/policy-test.ts')).policyTestCommand,
    },
    {
      name: 'replay',
      summary: 'judge recorded calls again',
      load: async () => (await import('./commands/policy/policy-replay.ts')).policyReplayCommand,
    },
    {
      name: 'shadow',
      summary: 'what rules in shadow mode would have stopped',
      load: async () => (await import('./commands/policy/policy-shadow.ts')).policyShadowCommand,
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
      load: async () => (await import('./commands/audit/audit-list.ts')).auditListCommand,
    },
    {
      name: 'show',
      summary: 'all that is on record of one call',
      load: async () => (await import('./commands/audit/audit-show.ts')).auditShowCommand,
    },
    {
      name: 'verify',
      summary: 'check that nothing was edited or removed',
      load: async () => (await import('./commands/audit/audit-verify.ts')).auditVerifyCommand,
    },
    {
      name: 'checkpoint',
      summary: 'sign how far the record has come',
      load: async () =>
        (await import('./commands/audit/audit-checkpoint.ts')).auditCheckpointCommand,
    },
    {
      name: 'export',
      summary: 'write rows as JSON Lines or CSV, oldest first',
      load: async () => (await import('./commands/audit/audit-export.ts')).auditExportCommand,
    },
    {
      name: 'prune',
      summary: 'forget old rows, and keep the rest verifiable',
      load: async () => (await import('./commands/audit/audit-prune.ts')).auditPruneCommand,
    },
  ],
};

const SECRETS: GroupEntry = {
  name: 'secrets',
  summary: 'keep the credentials that tools need',
  examples: [
    'toolcrib secrets',
    'toolcrib secrets set STRIPE_SECRET_KEY',
    'toolcrib secrets remove STRIPE_SECRET_KEY',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the keys, never the values; what `secrets` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/secrets/secrets-list.ts')).secretsListCommand,
    },
    {
      name: 'set',
      summary: 'keep a secret; its value is asked for or piped in',
      load: async () => (await import('./commands/secrets/secrets-set.ts')).secretsSetCommand,
    },
    {
      name: 'remove',
      summary: 'forget a secret',
      load: async () => (await import('./commands/secrets/secrets-remove.ts')).secretsRemoveCommand,
    },
  ],
};

const SERVERS: GroupEntry = {
  name: 'servers',
  summary: 'the MCP servers whose tools are taken in',
  examples: [
    'toolcrib servers',
    'toolcrib servers add files -- npx -y @modelcontextprotocol/server-filesystem .',
    'toolcrib servers import --dry-run',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the MCP servers and how they are; what `servers` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/servers/servers-list.ts')).serversListCommand,
    },
    {
      name: 'add',
      summary: 'write an MCP server into your configuration',
      load: async () => (await import('./commands/servers/servers-add.ts')).serversAddCommand,
    },
    {
      name: 'remove',
      summary: 'take an MCP server out of the configuration',
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
      summary: 'start a server, ping it and list its tools',
      load: async () => (await import('./commands/servers/servers-test.ts')).serversTestCommand,
    },
    {
      name: 'logs',
      summary: 'what a server writes to stderr',
      load: async () => (await import('./commands/servers/servers-test.ts')).serversLogsCommand,
    },
    {
      name: 'restart',
      summary: 'start a server again',
      load: async () => (await import('./commands/servers/servers-test.ts')).serversRestartCommand,
    },
    {
      name: 'login',
      summary: 'log in to a remote server with your browser',
      load: async () => (await import('./commands/servers/servers-login.ts')).serversLoginCommand,
    },
    {
      name: 'logout',
      summary: 'forget the tokens of a remote server',
      load: async () => (await import('./commands/servers/servers-login.ts')).serversLogoutCommand,
    },
    {
      name: 'import',
      summary: 'take in the servers that other programs have',
      load: async () => (await import('./commands/servers/servers-import.ts')).serversImportCommand,
    },
  ],
};

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'set up a project: .toolcrib/config.yml',
    load: async () => (await import('./commands/project/init.ts')).initCommand,
  },
  {
    name: 'run',
    summary: 'call a tool',
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    name: 'shell',
    summary: 'tools by name, commands, and talk with a model',
    load: async () => (await import('./commands/shell.ts')).shellCommand,
  },
  {
    name: 'mcp',
    summary: 'serve the tools to an MCP client',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  {
    name: 'serve',
    summary: 'serve the tools over HTTP, with a web console',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    name: 'console',
    summary: 'a fresh link into the console of the running server',
    load: async () => (await import('./commands/console.ts')).consoleCommand,
  },
  TOOL_COMMANDS,
  APPROVALS,
  PERMISSIONS,
  POLICY,
  {
    name: 'usage',
    summary: 'what was spent, against the limits',
    load: async () => (await import('./commands/usage/usage.ts')).usageCommand,
  },
  AUDIT,
  SECRETS,
  TOKEN_COMMANDS,
  SERVERS,
  {
    name: 'undo',
    summary: 'restore the files a call changed',
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  {
    name: 'trust',
    summary: 'see what a project’s configuration does, and allow it',
    load: async () => (await import('./commands/project/trust.ts')).trustCommand,
  },
  {
    name: 'doctor',
    summary: 'check this machine and project, and say how to fix what is wrong',
    load: async () => (await import('./commands/doctor/doctor.ts')).doctorCommand,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./commands/completion/completion.ts')).completionCommand,
  },
];

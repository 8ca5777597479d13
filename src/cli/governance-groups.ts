/**
 * The groups of commands that decide about calls and show what happened. The file of a command is loaded when
 * it is used.
 */
import type { GroupEntry } from './program.ts';

export const APPROVALS: GroupEntry = {
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
      summary: 'list the calls that wait for a person; the default of `approvals`',
      isDefault: true,
      load: async () =>
        (await import('./commands/approvals/approvals-list.ts')).approvalsListCommand,
    },
    {
      name: 'show',
      summary: 'show the exact call that waits',
      load: async () =>
        (await import('./commands/approvals/approvals-show.ts')).approvalsShowCommand,
    },
    {
      name: 'approve',
      summary: 'approve a waiting call',
      load: async () =>
        (await import('./commands/approvals/approvals-decide.ts')).approvalsApproveCommand,
    },
    {
      name: 'deny',
      summary: 'deny a waiting call',
      load: async () =>
        (await import('./commands/approvals/approvals-decide.ts')).approvalsDenyCommand,
    },
    {
      name: 'link',
      summary: 'make links that approve or deny a waiting call',
      load: async () =>
        (await import('./commands/approvals/approvals-link.ts')).approvalsLinkCommand,
    },
    {
      name: 'redeem',
      summary: 'answer a waiting call with such a link, or its last part',
      load: async () =>
        (await import('./commands/approvals/approvals-link.ts')).approvalsRedeemCommand,
    },
  ],
};

export const PERMISSIONS: GroupEntry = {
  name: 'permissions',
  summary: 'grant permissions to users and agents, and revoke them',
  examples: [
    'toolcrib permissions',
    'toolcrib permissions grant tool:web_search --user ada --expires 8h',
    'toolcrib permissions revoke <id>',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the grants; the default of `permissions`',
      isDefault: true,
      load: async () =>
        (await import('./commands/permissions/permissions-list.ts')).permissionsListCommand,
    },
    {
      name: 'grant',
      summary: 'grant a permission; a rule that denies still wins',
      load: async () =>
        (await import('./commands/permissions/permissions-grant.ts')).permissionsGrantCommand,
    },
    {
      name: 'revoke',
      summary: 'revoke a grant',
      load: async () =>
        (await import('./commands/permissions/permissions-list.ts')).permissionsRevokeCommand,
    },
  ],
};

export const POLICY: GroupEntry = {
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
      summary: 'explain which rule decides about a call, and why',
      load: async () => (await import('./commands/policy/policy-explain.ts')).policyExplainCommand,
    },
    {
      name: 'check',
      summary: 'check the policy files; the default of `policy`',
      isDefault: true,
      load: async () => (await import('./commands/policy/policy-check.ts')).policyCheckCommand,
    },
    {
      name: 'test',
      summary: 'test the rules with the cases of a file',
      load: async () => (await import('./commands/policy/policy-test.ts')).policyTestCommand,
    },
    {
      name: 'replay',
      summary: 'judge recorded calls by other rules',
      load: async () => (await import('./commands/policy/policy-replay.ts')).policyReplayCommand,
    },
    {
      name: 'shadow',
      summary: 'show what rules in shadow mode would have stopped',
      load: async () => (await import('./commands/policy/policy-shadow.ts')).policyShadowCommand,
    },
  ],
};

export const AUDIT: GroupEntry = {
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
      summary: 'list calls, newest first; the default of `audit`',
      isDefault: true,
      load: async () => (await import('./commands/audit/audit-list.ts')).auditListCommand,
    },
    {
      name: 'show',
      summary: 'show everything on record about one call',
      load: async () => (await import('./commands/audit/audit-show.ts')).auditShowCommand,
    },
    {
      name: 'verify',
      summary: 'check that nothing was edited or removed',
      load: async () => (await import('./commands/audit/audit-verify.ts')).auditVerifyCommand,
    },
    {
      name: 'checkpoint',
      summary: 'sign the current end of the record',
      load: async () => (await import('./commands/audit/audit-verify.ts')).auditCheckpointCommand,
    },
    {
      name: 'export',
      summary: 'write rows as JSON Lines or CSV, oldest first',
      load: async () => (await import('./commands/audit/audit-export.ts')).auditExportCommand,
    },
    {
      name: 'replay',
      summary: 'judge recorded calls by today’s rules, without making them',
      load: async () => (await import('./commands/audit/audit-replay.ts')).auditReplayCommand,
    },
    {
      name: 'prune',
      summary: 'delete old rows and keep the rest verifiable',
      load: async () => (await import('./commands/audit/audit-prune.ts')).auditPruneCommand,
    },
  ],
};

export const LOG: GroupEntry = {
  name: 'log',
  summary: 'change what the running server logs',
  examples: ['toolcrib log level', 'toolcrib log level debug --for 10m'],
  commands: [
    {
      name: 'level',
      summary: 'show or change the level, for a while; the default of `log`',
      isDefault: true,
      judgesWords: true,
      load: async () => (await import('./commands/log/log-level.ts')).logLevelCommand,
    },
  ],
};

export const STORE: GroupEntry = {
  name: 'store',
  summary: 'move the store of a project to PostgreSQL, or replace its lost key',
  examples: ['toolcrib store migrate .toolcrib/state.db postgres://crib@db.example.com/toolcrib'],
  commands: [
    {
      name: 'migrate',
      summary: 'copy a SQLite store to PostgreSQL and verify both',
      load: async () => (await import('./commands/store/store-migrate.ts')).storeMigrateCommand,
    },
    {
      name: 'adopt-key',
      summary: 'let the signing key of this machine seal a PostgreSQL store whose key is lost',
      load: async () => (await import('./commands/store/store-adopt-key.ts')).storeAdoptKeyCommand,
    },
  ],
};

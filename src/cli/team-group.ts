/** The group of commands about the catalog of a team. The file of a command is loaded when it is used. */
import type { GroupEntry } from './program.ts';

const joining = () => import('./commands/team/team-join.ts');
const reviewing = () => import('./commands/team/team-review.ts');
const publishing = () => import('./commands/team/team-publish.ts');

export const TEAM: GroupEntry = {
  name: 'team',
  summary: 'join the catalog of a team; propose, review and publish its tools and rules',
  examples: [
    'toolcrib team join https://tools.example.com --key 1f0c:…',
    'toolcrib team',
    'toolcrib team propose tool .toolcrib/tools/lint.yml',
    'toolcrib team review',
  ],
  commands: [
    {
      name: 'status',
      summary: 'show the team you are in; the default of `team`',
      isDefault: true,
      load: async () => (await joining()).teamStatusCommand,
    },
    {
      name: 'join',
      summary: 'take part in the catalog of a team',
      load: async () => (await joining()).teamJoinCommand,
    },
    {
      name: 'sync',
      summary: 'get the latest bundle of the team',
      load: async () => (await joining()).teamSyncCommand,
    },
    {
      name: 'leave',
      summary: 'leave the team: its rules and tools end here',
      load: async () => (await joining()).teamLeaveCommand,
    },
    {
      name: 'propose',
      summary: 'propose an entry of the catalog',
      load: async () => (await import('./commands/team/team-propose.ts')).teamProposeCommand,
    },
    {
      name: 'review',
      summary: 'list the proposals, or show one',
      load: async () => (await reviewing()).teamReviewCommand,
    },
    {
      name: 'approve',
      summary: 'approve a proposal of somebody else',
      load: async () => (await reviewing()).teamApproveCommand,
    },
    {
      name: 'reject',
      summary: 'reject a proposal',
      load: async () => (await reviewing()).teamRejectCommand,
    },
    {
      name: 'publish',
      summary: 'publish what is approved, as a signed bundle',
      load: async () => (await publishing()).teamPublishCommand,
    },
    {
      name: 'rollback',
      summary: 'publish the content of an older bundle again',
      load: async () => (await publishing()).teamRollbackCommand,
    },
    {
      name: 'history',
      summary: 'list the bundles that were published',
      load: async () => (await publishing()).teamHistoryCommand,
    },
    {
      name: 'key',
      summary: 'show the fingerprint of the key that signs, for those who join',
      load: async () => (await publishing()).teamKeyCommand,
    },
    {
      name: 'rotate',
      summary: 'let the new key of this server sign instead of the key before',
      load: async () => (await publishing()).teamRotateCommand,
    },
  ],
};

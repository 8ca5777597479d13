/** The commands about alerts. The file of a command is loaded when it is used. */
import type { GroupEntry } from './program.ts';

export const ALERTS: GroupEntry = {
  name: 'alerts',
  summary: 'see which alerts fire, test and silence them',
  examples: [
    'toolcrib alerts',
    'toolcrib alerts test high-errors',
    'toolcrib alerts silence high-errors --for 2h --note maintenance',
    'toolcrib alerts history --limit 10',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the alerts, those that fire first; the default of `alerts`',
      isDefault: true,
      load: async () => (await import('./commands/alerts/alerts-list.ts')).alertsListCommand,
    },
    {
      name: 'show',
      summary: 'show one alert with its condition, actions and newest notifications',
      load: async () => (await import('./commands/alerts/alerts-show.ts')).alertsShowCommand,
    },
    {
      name: 'test',
      summary: 'evaluate an alert now and send a test by its actions',
      load: async () => (await import('./commands/alerts/alerts-test.ts')).alertsTestCommand,
    },
    {
      name: 'silence',
      summary: 'silence the notifications of an alert for a while',
      load: async () => (await import('./commands/alerts/alerts-silence.ts')).alertsSilenceCommand,
    },
    {
      name: 'unsilence',
      summary: 'end the silence of an alert',
      load: async () =>
        (await import('./commands/alerts/alerts-silence.ts')).alertsUnsilenceCommand,
    },
    {
      name: 'history',
      summary: 'list what fired and resolved, newest first',
      load: async () => (await import('./commands/alerts/alerts-history.ts')).alertsHistoryCommand,
    },
  ],
};

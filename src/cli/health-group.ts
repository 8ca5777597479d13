/** The commands about health. The file of a command is loaded when it is used. */
import type { GroupEntry } from './program.ts';

export const HEALTH: GroupEntry = {
  name: 'health',
  summary: 'see what the last checks found and how it changed; check and schedule',
  examples: [
    'toolcrib health',
    'toolcrib health show server:github',
    'toolcrib health check store',
    "toolcrib health schedule server:github '*/5 * * * *'",
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the last results, what fails first; what `health` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/health/health-list.ts')).healthListCommand,
    },
    {
      name: 'show',
      summary: 'show the last result of one subject and how its state changed',
      load: async () => (await import('./commands/health/health-show.ts')).healthShowCommand,
    },
    {
      name: 'check',
      summary: 'check one subject now',
      load: async () => (await import('./commands/health/health-show.ts')).healthCheckCommand,
    },
    {
      name: 'schedules',
      summary: 'list what is checked again and again, and when',
      load: async () =>
        (await import('./commands/health/health-schedules.ts')).healthSchedulesCommand,
    },
    {
      name: 'schedule',
      summary: 'have a subject, or all, checked at the moments of a cron pattern',
      load: async () =>
        (await import('./commands/health/health-schedules.ts')).healthScheduleCommand,
    },
    {
      name: 'unschedule',
      summary: 'end a schedule',
      load: async () =>
        (await import('./commands/health/health-schedules.ts')).healthUnscheduleCommand,
    },
  ],
};

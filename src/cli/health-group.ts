/** The commands about health. The file of a command is loaded when it is used. */
import type { GroupEntry } from './program.ts';

export const HEALTH: GroupEntry = {
  name: 'health',
  summary: 'show the last results of health checks; check now or on a schedule',
  examples: [
    'toolcrib health',
    'toolcrib health show server:github',
    'toolcrib health check store',
    "toolcrib health schedule server:github '*/5 * * * *'",
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the last results, what fails first; the default of `health`',
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
      summary: 'list the scheduled checks and their times',
      load: async () =>
        (await import('./commands/health/health-schedules.ts')).healthSchedulesCommand,
    },
    {
      name: 'schedule',
      summary: 'check a subject, or all, at the times of a cron pattern',
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

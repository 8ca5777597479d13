/** The commands about jobs. The file of a command is loaded when it is used. */
import type { GroupEntry } from './program.ts';

export const JOBS: GroupEntry = {
  name: 'jobs',
  summary: 'list, add and manage jobs that run in the background',
  examples: [
    'toolcrib jobs',
    `toolcrib jobs add tool '{"tool":"calculator","input":{"expression":"6*7"}}'`,
    'toolcrib jobs list --state dead',
    'toolcrib jobs requeue <id>',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list jobs, newest first; the default of `jobs`',
      isDefault: true,
      load: async () => (await import('./commands/jobs/jobs-list.ts')).jobsListCommand,
    },
    {
      name: 'show',
      summary: 'show a job with its payload, result and error',
      load: async () => (await import('./commands/jobs/jobs-show.ts')).jobsShowCommand,
    },
    {
      name: 'add',
      summary: 'add a job',
      load: async () => (await import('./commands/jobs/jobs-add.ts')).jobsAddCommand,
    },
    {
      name: 'cancel',
      summary: 'cancel a job that waits or runs',
      load: async () => (await import('./commands/jobs/jobs-change.ts')).jobsCancelCommand,
    },
    {
      name: 'requeue',
      summary: 'put a dead or cancelled job back, with all its attempts',
      load: async () => (await import('./commands/jobs/jobs-change.ts')).jobsRequeueCommand,
    },
    {
      name: 'remove',
      summary: 'remove a job that does not run',
      load: async () => (await import('./commands/jobs/jobs-change.ts')).jobsRemoveCommand,
    },
    {
      name: 'counts',
      summary: 'count the jobs of each queue by their state',
      load: async () => (await import('./commands/jobs/jobs-counts.ts')).jobsCountsCommand,
    },
    {
      name: 'schedules',
      summary: 'list the schedules and when they are due',
      load: async () => (await import('./commands/jobs/jobs-schedules.ts')).jobsSchedulesCommand,
    },
    {
      name: 'schedule',
      summary: 'add a job at the times of a cron pattern',
      load: async () => (await import('./commands/jobs/jobs-schedules.ts')).jobsScheduleCommand,
    },
    {
      name: 'unschedule',
      summary: 'remove a schedule; its jobs stay',
      load: async () => (await import('./commands/jobs/jobs-schedules.ts')).jobsUnscheduleCommand,
    },
  ],
};

/** The group of commands about flows. The file of a command is loaded when it is used. */
import type { GroupEntry } from './program.ts';

export const FLOW: GroupEntry = {
  name: 'flow',
  summary: 'run flows, and look after their runs',
  examples: [
    'toolcrib flow run research --input \'{"topic":"bees"}\'',
    'toolcrib flow runs --status blocked',
    'toolcrib flow resume <run>',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the flows; what `flow` does by itself',
      isDefault: true,
      load: async () => (await import('./commands/flow/flow-list.ts')).flowListCommand,
    },
    {
      name: 'run',
      summary: 'start a run and show its steps as they happen',
      load: async () => (await import('./commands/flow/flow-run.ts')).flowRunCommand,
    },
    {
      name: 'runs',
      summary: 'list the runs, newest first',
      load: async () => (await import('./commands/flow/flow-runs.ts')).flowRunsCommand,
    },
    {
      name: 'status',
      summary: 'show one run',
      load: async () => (await import('./commands/flow/flow-status.ts')).flowStatusCommand,
    },
    {
      name: 'steps',
      summary: 'show the steps of a run, with time and cost',
      load: async () => (await import('./commands/flow/flow-steps.ts')).flowStepsCommand,
    },
    {
      name: 'resume',
      summary: 'continue a run that was left, waits or is blocked',
      load: async () => (await import('./commands/flow/flow-resume.ts')).flowResumeCommand,
    },
    {
      name: 'cancel',
      summary: 'cancel a run and those that it has started',
      load: async () => (await import('./commands/flow/flow-cancel.ts')).flowCancelCommand,
    },
    {
      name: 'send',
      summary: 'send an event to a run that waits for it',
      load: async () => (await import('./commands/flow/flow-send.ts')).flowSendCommand,
    },
  ],
};

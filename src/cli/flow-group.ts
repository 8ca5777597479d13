/** The group of commands about flows. The file of a command is loaded when it is used. */
import type { GroupEntry } from './program.ts';

export const FLOW: GroupEntry = {
  name: 'flow',
  summary: 'run flows and manage their runs',
  examples: [
    'toolcrib flow run research --input \'{"topic":"bees"}\'',
    'toolcrib flow runs --status blocked',
    'toolcrib flow resume <run>',
  ],
  commands: [
    {
      name: 'list',
      summary: 'list the flows; the default of `flow`',
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
    {
      name: 'validate',
      summary: 'find every fault of flow files',
      load: async () => (await import('./commands/flow/flow-validate.ts')).flowValidateCommand,
    },
    {
      name: 'plan',
      summary: 'show what a run would do, cost and ask; runs nothing',
      load: async () => (await import('./commands/flow/flow-plan.ts')).flowPlanCommand,
    },
    {
      name: 'graph',
      summary: 'draw a flow or a run, as Mermaid or SVG',
      load: async () => (await import('./commands/flow/flow-graph.ts')).flowGraphCommand,
    },
    {
      name: 'optimize',
      summary: 'print the same flow with fewer or earlier calls',
      load: async () => (await import('./commands/flow/flow-optimize.ts')).flowOptimizeCommand,
    },
  ],
};

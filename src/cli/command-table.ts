/** Every command with its one-line summary. The file of a command is loaded when it is used. */
import { ADD, SOURCES } from './add-group.ts';
import { ALERTS } from './alerts-group.ts';
import { FLOW } from './flow-group.ts';
import { APPROVALS, AUDIT, LOG, PERMISSIONS, POLICY, STORE } from './governance-groups.ts';
import { HEALTH } from './health-group.ts';
import { JOBS } from './job-groups.ts';
import { PACKAGE_COMMANDS, PACKAGES } from './package-groups.ts';
import type { CommandEntry } from './program.ts';
import { SECRETS, SERVERS, TOKENS, TOOLS } from './source-groups.ts';
import { TEAM } from './team-group.ts';

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
    summary: 'open an interactive shell: tools, commands, chat with a model',
    load: async () => (await import('./commands/shell.ts')).shellCommand,
  },
  {
    name: 'mcp',
    summary: 'serve the tools to an MCP client, over stdio or HTTP',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  {
    name: 'serve',
    summary: 'serve the tools over HTTP, with the MCP endpoint and the web console',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    name: 'console',
    summary: 'open the console of the running server with a fresh link',
    load: async () => (await import('./commands/console.ts')).consoleCommand,
  },
  {
    name: 'worker',
    summary: 'run the jobs of queues until it is stopped',
    load: async () => (await import('./commands/jobs/worker.ts')).workerCommand,
  },
  ADD,
  TOOLS,
  FLOW,
  JOBS,
  APPROVALS,
  PERMISSIONS,
  POLICY,
  {
    name: 'usage',
    summary: 'show what was spent, against the limits',
    load: async () => (await import('./commands/usage/usage.ts')).usageCommand,
  },
  {
    name: 'stats',
    summary: 'show how many calls were made, how fast they were, and how many failed',
    load: async () => (await import('./commands/usage/stats.ts')).statsCommand,
  },
  {
    name: 'top',
    summary: 'watch calls, failures, spending, approvals, servers and jobs live',
    load: async () => (await import('./commands/top/top.ts')).topCommand,
  },
  ALERTS,
  HEALTH,
  AUDIT,
  LOG,
  STORE,
  SECRETS,
  TOKENS,
  SOURCES,
  SERVERS,
  PACKAGES,
  ...PACKAGE_COMMANDS,
  TEAM,
  {
    name: 'undo',
    summary: 'restore the files that a call changed',
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  {
    name: 'trust',
    summary: 'review what a project’s configuration does, and trust it',
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

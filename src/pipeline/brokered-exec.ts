/**
 * The exec a tool is handed: judged by the command guard first, then run in the sandbox that the
 * caller's isolation asks for, `process` or stronger.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../contract/call.ts';
import type { CommandResult, ExecOptions, ToolContext } from '../contract/context.ts';
import type { SandboxConfig, Sandboxes } from '../contract/sandbox.ts';
import type { Needs } from '../contract/tool.ts';
import { isolationSandbox } from '../governance/isolation-sandbox.ts';
import { assertRunning } from './assert-running.ts';
import { judgeProgram, type ProgramSettings, refusal, SHELL } from './judge-program.ts';

export interface ExecSettings extends ProgramSettings {
  readonly extraRoots: readonly string[];
  /** Rejects with SANDBOX_ERROR when this machine cannot give it. */
  readonly sandboxes: Sandboxes;
  /** Where the run takes place. Throws for a folder that an approved call may not use. */
  workingFolder(call: Call<'ready'>, cwd: string): string | Promise<string>;
}

/** Start-up files of the user would run unjudged. */
const argvOf = (argv: readonly string[]): readonly string[] =>
  argv[0] === SHELL && argv[1] === '-c' ? [SHELL, '--norc', '--noprofile', ...argv.slice(1)] : argv;

/** A tool narrows its own declaration, and never widens it. */
const hostsFor = (declared: readonly string[] = [], wanted = declared): readonly string[] => {
  if (wanted.every((host) => declared.includes(host) || declared.includes('*'))) return wanted;
  throw refusal('the tool did not declare a host of the run.', 'Add the host to needs.hosts.');
};

const REPOSITORY = '.git';

/** Programs find it read-only unless their tool asks for it by name; hooks and settings stay so. */
const repositoryIn = (root: string, { paths = [] }: Needs): readonly string[] => {
  const isWanted = paths.some(({ path, access }) => path === REPOSITORY && access === 'write');
  const folder = join(root, REPOSITORY);
  const isThere = isWanted && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory();
  return isThere ? [folder] : [];
};

const configFor = (
  call: Call<'ready'>,
  { root, extraRoots }: ExecSettings,
  { env, timeoutMs, hosts }: ExecOptions,
): SandboxConfig => {
  const { needs = {}, sandbox } = call.ready.tool;
  const roots = [root, ...extraRoots];
  // Without an intent on record the call was judged as one that only reads.
  const access = call.notes.intentRecorded
    ? { read: [], write: [...roots, ...repositoryIn(root, needs)] }
    : { read: roots };
  return {
    ...sandbox,
    type: 'process',
    fileSystemAccess: access,
    networkAccess: hostsFor(needs.hosts, hosts),
    ...(env && { environmentVariables: env }),
    ...(timeoutMs !== undefined && { timeLimit: timeoutMs }),
  };
};

export const brokeredExec =
  (call: Call<'ready'>, settings: ExecSettings): ToolContext['exec'] =>
  async (command, args = [], options = {}): Promise<CommandResult> => {
    assertRunning(call);
    const argv = [command, ...args];
    const verdict = await judgeProgram(call.ready.tool, argv, settings);
    const config = configFor(call, settings, options);
    const hosts = config.networkAccess ?? [];
    const sandbox = await isolationSandbox(settings.sandboxes, call.caller.isolation, {
      use: 'program',
      type: config.type,
      hosts,
    });
    for (const [program] of verdict.commands) note(call, `program:${program}`);
    for (const host of hosts) note(call, `host:${host}`);
    const { stdin } = options;
    const cwd = await settings.workingFolder(call, options.cwd ?? settings.root);
    const input = stdin === undefined ? {} : { stdin };
    assertRunning(call);
    const outcome = await sandbox.run({
      task: { kind: 'command', argv: argvOf(argv), cwd, ...input },
      config: { ...config, type: sandbox.type },
      signal: call.control.signal,
    });
    return { exitCode: outcome.exitCode ?? 0, stdout: outcome.stdout, stderr: outcome.stderr };
  };

const note = ({ notes }: Call<'ready'>, resource: string): void => {
  notes.resources ??= new Set();
  notes.resources.add(resource);
};

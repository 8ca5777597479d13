/**
 * Makes the exec that a tool is handed: the command guard judges a program, then it runs in the sandbox
 * that the caller's isolation asks for, `process` or stronger.
 */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Call } from '../../contract/call.ts';
import type { CommandResult, ExecOptions, ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { SandboxConfig, Sandboxes, SandboxRequest } from '../../contract/sandbox.ts';
import {
  withGitHeader,
  withoutGitVariables,
} from '../../governance/commands/git/git-environment.ts';
import { isolationSandbox } from '../../governance/isolation.ts';
import { wantsRepository } from '../../governance/paths/find-repository.ts';
import { withholdSecrets } from '../../governance/paths/secret-attributes.ts';
import { assertRunning } from './assert-running.ts';
import { assertExec } from './context-checks.ts';
import {
  type CommandTask,
  judgeProgram,
  type ProgramSettings,
  refusal,
  SHELL,
} from './judge-program.ts';
import { noteUsage } from './note-usage.ts';
import { assertTellsNoSecrets } from './repository-questions.ts';
import { type RepositoryRun, repositoryRun } from './repository-run.ts';
import { workSignal } from './work-signal.ts';

export interface ExecSettings extends ProgramSettings {
  readonly extraRoots: readonly string[];
  /** Rejects with SANDBOX_ERROR when this machine cannot give it. */
  readonly sandboxes: Sandboxes;
  /** Finds the folder in which a program runs. Throws for a folder that an approved call may not use. */
  workingFolder(call: Call<'ready'>, cwd: string): string | Promise<string>;
  /** Rejects when what an approved call names was exchanged; asked before its first program. */
  assertApproved(call: Call<'ready'>): Promise<void>;
}

/** Keeps bash from running start-up files, which nothing has judged. */
const argvOf = (argv: readonly string[]): readonly string[] =>
  argv[0] === SHELL && argv[1] === '-c' ? [SHELL, '--norc', '--noprofile', ...argv.slice(1)] : argv;

/** Lets a tool narrow its own declaration, never widen it. */
const hostsFor = (declared: readonly string[] = [], hosts = declared): readonly string[] => {
  if (hosts.every((host) => declared.includes(host) || declared.includes('*'))) return hosts;
  throw refusal('the tool did not declare a host of the run.', 'Add the host to needs.hosts.');
};

interface Run {
  /** What the configuration grants the command in addition. */
  readonly task: CommandTask | undefined;
  readonly settings: ExecSettings;
  readonly options: ExecOptions;
  readonly repository: RepositoryRun;
}

/** Makes the repository read-only for other programs, unless their tool asks for it by name. */
const accessFor = (call: Call<'ready'>, { settings, repository }: Run) => {
  const { root, extraRoots } = settings;
  const roots = [root, ...extraRoots];
  const { folders, isAlone } = repository;
  // Without an intent on record the call was judged as one that only reads.
  if (!call.notes.intentRecorded) return { read: [...roots, ...folders] };
  return isAlone || wantsRepository(call.ready.tool.needs ?? {})
    ? { read: [], write: [...roots, ...folders] }
    : {
        read: folders.filter((folder) => !roots.some((each) => folder.startsWith(each))),
        write: roots,
      };
};

/** Adds the folders of a task to those that every run gets. */
const withTask = (
  access: { readonly read?: readonly string[]; readonly write?: readonly string[] },
  { read = [], write = [] }: Pick<CommandTask, 'read' | 'write'> = {},
) => ({
  read: [...(access.read ?? []), ...read],
  write: [...(access.write ?? []), ...write],
});

/** Refuses to send a credential where the repository weakens the check of hosts. */
const assertTrustedHost = ({ trustSetting }: RepositoryRun): void => {
  if (trustSetting === undefined) return;
  throw new ToolFailure(
    'PRECONDITION_FAILED',
    `The configuration of the repository weakens the check of hosts (${trustSetting}).`,
    {
      suggestions: ['Have a person remove that setting from .git/config; no credential was sent.'],
    },
  );
};

/**
 * Gives the variables of the run; those of the broker for the repository override the tool's own.
 */
const variablesFor = ({ options, repository, task }: Run): Readonly<Record<string, string>> => {
  const { env, gitHeader } = options;
  const own = repository.runsGit ? withoutGitVariables(env) : env;
  const sendsHeader = repository.runsGit && gitHeader !== undefined;
  if (sendsHeader) assertTrustedHost(repository);
  const named = sendsHeader ? withGitHeader(repository.env, gitHeader) : repository.env;
  return { ...own, ...named, ...task?.env };
};

const configFor = (call: Call<'ready'>, run: Run): SandboxConfig => {
  const { timeoutMs, hosts } = run.options;
  const { task } = run;
  const { needs = {}, sandbox } = call.ready.tool;
  return {
    ...sandbox,
    type: 'process',
    fileSystemAccess: withTask(accessFor(call, run), task),
    networkAccess: [...hostsFor(needs.hosts, hosts), ...(task?.hosts ?? [])],
    environmentVariables: variablesFor(run),
    ...(timeoutMs !== undefined && { timeLimit: timeoutMs }),
  };
};

/** Resolves links of the folder: the guard judges where the program really starts. */
const folderOf = async (
  call: Call<'ready'>,
  { root, workingFolder }: ExecSettings,
  { cwd }: ExecOptions,
): Promise<string> => {
  if (cwd === undefined) return root;
  const folder = await workingFolder(call, cwd);
  try {
    return realpathSync(resolve(root, folder));
  } catch {
    throw refusal('there is no such folder to start in.', 'Name a folder of the workspace.');
  }
};

export const brokeredExec =
  (call: Call<'ready'>, settings: ExecSettings): ToolContext['exec'] =>
  async (command, args = [], options = {}): Promise<CommandResult> => {
    assertRunning(call);
    const signal = workSignal(call);
    const argv = [command, ...args];
    assertExec(argv, options);
    const { tool } = call.ready;
    const cwd = await folderOf(call, settings, options);
    const verdict = await judgeProgram(tool, { argv, cwd }, settings);
    const repository = repositoryRun(verdict, settings.root, tool.needs);
    const config = configFor(call, { settings, options, repository, task: verdict.task });
    const hosts = config.networkAccess ?? [];
    const sandbox = await isolationSandbox(settings.sandboxes, call.caller.isolation, {
      use: 'program',
      type: config.type,
      hosts,
    });
    await settings.assertApproved(call);
    for (const [program] of verdict.commands) note(call, `program:${program}`);
    for (const host of hosts) note(call, `host:${host}`);
    const { stdin } = options;
    const request = {
      task: { kind: 'command', argv: argvOf(argv), cwd, ...(stdin !== undefined && { stdin }) },
      config: { ...config, type: sandbox.type },
      ...(repository.view && { repository: repository.view }),
      signal,
      onUsage: (usage) => noteUsage(call, usage),
    } satisfies SandboxRequest;
    // A sandbox starts nothing for a signal that was aborted meanwhile.
    await assertTellsNoSecrets(repository, (task) => sandbox.run({ ...request, task }));
    const { exitCode = 0, stdout, stderr } = await sandbox.run(request);
    return { exitCode, stdout: repository.runsGit ? withholdSecrets(stdout) : stdout, stderr };
  };

const note = ({ notes }: Call<'ready'>, resource: string): void => {
  notes.resources ??= new Set();
  notes.resources.add(resource);
};

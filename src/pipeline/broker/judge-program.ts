/**
 * Judges whether a tool may run a program: what the tool declared and the user allows, by the command
 * guard. It is judged when a program is started, and before a person is asked about the call.
 */
import { resolve } from 'node:path';
import type { Call } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Needs } from '../../contract/needs.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { PlannedProgram, Tool } from '../../contract/tool.ts';
import type { UsedPath } from '../../governance/approvals/call-targets.ts';
import type { CommandGuard, CommandVerdict } from '../../governance/commands/command-guard.ts';
import { overwritingSubcommand } from '../../governance/commands/git/git-use.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import { namesBranches } from '../../governance/paths/branch-names.ts';
import { isInRepositoryOf, wantsRepository } from '../../governance/paths/find-repository.ts';
import { failed } from '../outcome.ts';

/** A command of the configuration that may run as it is written, with what it may reach besides. */
export interface CommandTask {
  readonly run: string;
  /** Relative to the workspace. */
  readonly cwd?: string;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly hosts?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramSettings {
  /** The workspace, absolute. */
  readonly root: string;
  /** Patterns of the commands that a tool which needs `*` may run. */
  readonly allow: readonly string[];
  readonly tasks?: readonly CommandTask[];
}

export type AllowedProgram = Extract<CommandVerdict, { readonly ok: true }> & {
  /** The task that the command equals. */
  readonly task?: CommandTask;
};

export const SHELL = 'bash';

/** Returns the tool's own patterns; a lone `*` is replaced by what the user allows. */
const patternsOf = (commands: readonly string[], allowed: readonly string[]): readonly string[] =>
  commands.flatMap((pattern) => (pattern === '*' ? allowed : [pattern]));

export const refusal = (reason: string, remedy: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The command was refused: ${reason}`, {
    suggestions: [remedy],
  });

/** Judges a script for bash command by command, as bash would read it. */
const judged = (guard: CommandGuard, argv: readonly string[], cwd: string): CommandVerdict => {
  const [program, option, script, ...rest] = argv;
  const isScript = program === SHELL && option === '-c' && rest.length === 0;
  return guard.judge(isScript && script !== undefined ? script : argv, cwd);
};

type GuardModule = typeof import('../../governance/commands/command-guard.ts');

/** Finds the task that a command equals, word by word and in its folder. Wildcards match nothing else. */
const taskFor = (
  { createCommandGuard }: GuardModule,
  { argv, cwd }: Required<PlannedProgram>,
  { root, tasks = [] }: ProgramSettings,
): AllowedProgram | undefined => {
  for (const task of tasks) {
    if (resolve(root, task.cwd ?? '.') !== cwd || task.run.includes('*')) continue;
    const verdict = judged(createCommandGuard({ allow: [task.run], root: cwd }), argv, cwd);
    // A line of several commands may be more than the task.
    if (verdict.ok && verdict.commands.length === 1) return { ...verdict, task };
  }
  return undefined;
};

/**
 * Throws for a command of git that would replace uncommitted work, unless the tool names the repository in its
 * needs: then what it replaces is kept for undo.
 */
const assertKeepsWork = ({ commands }: Pick<AllowedProgram, 'commands'>, needs: Needs): void => {
  const subcommand = wantsRepository(needs) ? undefined : overwritingSubcommand(commands);
  if (subcommand === undefined) return;
  throw refusal(
    `git ${subcommand} would replace uncommitted work, and nothing could undo it.`,
    'Use the tool git: its checkout brings files back and can be undone. Branches change with git switch. Or have the command set up as a task: commands.tasks.',
  );
};

/** Rejects with PERMISSION_DENIED and the reason when a program may not run, or not in that folder. */
export const judgeProgram = async (
  { needs = {} }: Pick<Tool, 'needs'>,
  { argv, cwd: folder = '.' }: PlannedProgram,
  settings: ProgramSettings,
): Promise<AllowedProgram> => {
  const { root, allow } = settings;
  const declared = needs.commands;
  if (!declared) {
    throw refusal('the tool declared no programs.', 'Add the program to needs.commands.');
  }
  const module = await import('../../governance/commands/command-guard.ts');
  const cwd = resolve(root, folder);
  const task = declared.includes('*') ? taskFor(module, { argv, cwd }, settings) : undefined;
  if (task !== undefined) return task;
  const guard = module.createCommandGuard({
    allow: patternsOf(declared, allow),
    root,
    isInRepository: (folder) => isInRepositoryOf(root, folder),
    namesBranches: (word, folder) => namesBranches(root, word, folder),
  });
  const verdict = judged(guard, argv, cwd);
  if (!verdict.ok) throw refusal(verdict.reason, verdict.remedy);
  assertKeepsWork(verdict, needs);
  return verdict;
};

/**
 * Recognises a failure of the tool. Never throws, though `instanceof` runs code of what the tool
 * threw.
 */
const isToolFailure = (error: unknown): error is ToolFailure => {
  try {
    return error instanceof ToolFailure;
  } catch {
    return false;
  }
};

/** Makes the check that refuses a call whose programs may not run, whatever a person would say. */
export const createProgramCheck =
  (settings: ProgramSettings) =>
  async (call: Call<'ready' | 'input'>): Promise<ToolResult | undefined> => {
    const { tool } = call.ready;
    try {
      for (const program of tool.programs?.(ownCopy(call.input)) ?? []) {
        await judgeProgram(tool, program, settings);
      }
      return undefined;
    } catch (error) {
      if (!isToolFailure(error)) {
        return failed(call, 'EXECUTION_FAILED', {
          message: 'The tool could not say which programs the call runs.',
          suggestions: ['Correct programs() of the tool; it threw.'],
        });
      }
      return failed(call, error.code, { message: error.message, ...error.extras });
    }
  };

/**
 * Lists the files and folders that a call's programs name: an approval is bound to them. A program that
 * may not run names none, because its call is refused whatever a person says.
 */
export const createProgramPaths =
  (settings: ProgramSettings) =>
  async (tool: Tool, input: unknown): Promise<readonly UsedPath[]> => {
    if (!tool.programs) return [];
    try {
      const { commandPaths } = await import('../../governance/commands/command-paths.ts');
      const paths: UsedPath[] = [];
      for (const program of tool.programs(ownCopy(input))) {
        paths.push(...commandPaths(await judgeProgram(tool, program, settings), settings.root));
      }
      return paths;
    } catch (error) {
      if (isToolFailure(error)) return [];
      throw error;
    }
  };

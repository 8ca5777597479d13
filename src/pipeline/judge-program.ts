/**
 * Whether a tool may run a program: what the tool declared and the user allows, judged by the
 * command guard. Asked when a program is started, and before a person is asked about the call.
 */
import { resolve } from 'node:path';
import type { Call } from '../contract/call.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { ToolResult } from '../contract/result.ts';
import type { PlannedProgram, Tool } from '../contract/tool.ts';
import type { CommandGuard, CommandVerdict } from '../governance/commands/command-guard.ts';
import { failed } from './outcome.ts';

export interface ProgramSettings {
  /** The workspace, absolute. */
  readonly root: string;
  /** What the user allows tools that can run anything. */
  readonly allow: readonly string[];
}

export type AllowedProgram = Extract<CommandVerdict, { readonly ok: true }>;

export const SHELL = 'bash';

/** The tool's own patterns; a lone `*` stands for whatever the user allows. */
const patternsOf = (commands: readonly string[], allowed: readonly string[]): readonly string[] =>
  commands.flatMap((pattern) => (pattern === '*' ? allowed : [pattern]));

export const refusal = (reason: string, remedy: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The command was refused: ${reason}`, {
    suggestions: [remedy],
  });

/** A script for bash is read as bash would read it, and every command in it has to be allowed. */
const judged = (guard: CommandGuard, argv: readonly string[], cwd: string): CommandVerdict => {
  const [program, option, script, ...rest] = argv;
  const isScript = program === SHELL && option === '-c' && rest.length === 0;
  return guard.judge(isScript && script !== undefined ? script : argv, cwd);
};

/** Rejects with PERMISSION_DENIED, and why, for a program that may not run, or not there. */
export const judgeProgram = async (
  { needs }: Pick<Tool, 'needs'>,
  { argv, cwd = '.' }: PlannedProgram,
  { root, allow }: ProgramSettings,
): Promise<AllowedProgram> => {
  const wanted = needs?.commands;
  if (!wanted) {
    throw refusal('the tool declared no programs.', 'Add the program to needs.commands.');
  }
  const { createCommandGuard } = await import('../governance/commands/command-guard.ts');
  const guard = createCommandGuard({ allow: patternsOf(wanted, allow), root });
  const verdict = judged(guard, argv, resolve(root, cwd));
  if (verdict.ok) return verdict;
  throw refusal(verdict.reason, verdict.remedy);
};

/** The refusal that awaits a call whatever a person says to it; nothing when there is none. */
export const createProgramCheck =
  (settings: ProgramSettings) =>
  async (call: Call<'ready' | 'input'>): Promise<ToolResult | undefined> => {
    const { tool } = call.ready;
    try {
      for (const program of tool.programs?.(call.input) ?? []) {
        await judgeProgram(tool, program, settings);
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return failed(call, error.code, { message: error.message, ...error.extras });
    }
  };

/** The exec a tool is handed: what it may run is judged before anything is started. */
import type { Call } from '../contract/call.ts';
import type { CommandResult } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';

export interface ExecSettings {
  /** The workspace, absolute. */
  readonly root: string;
  /** What the user allows tools that can run anything. */
  readonly allow: readonly string[];
}

export type Exec = (command: string, args?: readonly string[]) => Promise<CommandResult>;

/** The tool's own patterns; a lone `*` stands for whatever the user allows. */
const patternsOf = (commands: readonly string[], allowed: readonly string[]): readonly string[] =>
  commands.flatMap((pattern) => (pattern === '*' ? allowed : [pattern]));

const refusal = (reason: string, remedy: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `The command was refused: ${reason}`, {
    suggestions: [remedy],
  });

/** Without arguments the command is a program and nothing else: no shell reads it. */
export const brokeredExec =
  (call: Call<'ready'>, { root, allow }: ExecSettings): Exec =>
  async (command, args = []) => {
    const wanted = call.ready.tool.needs?.commands;
    if (!wanted) {
      throw refusal('the tool declared no programs.', 'Add the program to needs.commands.');
    }
    const { createCommandGuard } = await import('../governance/commands/command-guard.ts');
    const guard = createCommandGuard({ allow: patternsOf(wanted, allow), root });
    const verdict = guard.judge([command, ...args]);
    if (!verdict.ok) throw refusal(verdict.reason, verdict.remedy);
    throw new ToolFailure('SANDBOX_ERROR', 'No sandbox driver that runs programs is installed.', {
      suggestions: ['Run `toolcrib doctor` to see which sandboxes this machine can give.'],
    });
  };

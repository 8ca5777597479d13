/** Who is asked about a call that is made here: the person at the terminal, in place. */
import { createTerminalApprover } from '../../approvers/terminal/create-terminal-approver.ts';
import type { ReadInput } from '../../approvers/terminal/terminal-dialog.ts';
import type { Approver } from '../../contract/approver.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { parseJson } from '../input/parse-json.ts';
import type { Io } from '../io.ts';

export interface TerminalPersonOptions {
  readonly user: string | undefined;
  /** The line itself said yes, with `--yes`. */
  readonly yes?: boolean;
  onQuestion?(open: boolean): void;
}

/** An input that was typed as JSON while the question was open. */
const readTyped = (text: string): ReadInput => {
  try {
    return { value: parseJson(text, 'This') };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { fault: error.message };
  }
};

/** Without a terminal the call is left pending. */
export const terminalPerson = (
  io: Io,
  { user = 'local', yes = false, onQuestion }: TerminalPersonOptions,
): Approver =>
  yes
    ? { ask: () => Promise.resolve({ answer: 'approve', by: `${user} (--yes)` }) }
    : createTerminalApprover({
        input: io.stdin,
        output: io.stderr,
        runtime: io.runtime,
        by: `${user} (terminal)`,
        colour: io.noteInk.isColorSupported,
        readInput: readTyped,
        checkCondition: async (condition) =>
          (await import('../../crib/policy-checks.ts')).conditionProblem(condition),
        ...(onQuestion && { onQuestion }),
      });

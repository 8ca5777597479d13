/** The approver of calls made on the command line: the person at the terminal. */
import { createTerminalApprover } from '../../approvers/terminal/create-terminal-approver.ts';
import type { ReadInput } from '../../approvers/terminal/terminal-dialog.ts';
import type { Approver } from '../../contract/approver.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { parseJson } from '../input/parse-json.ts';
import type { Io } from '../io.ts';

interface TerminalPersonOptions {
  readonly user: string | undefined;
  /** True with `--yes`: nobody is asked. */
  readonly yes?: boolean;
  onQuestion?(open: boolean): void;
}

/** Parses a new input that was typed as JSON. */
const readTyped = (text: string): ReadInput => {
  try {
    return { value: parseJson(text, 'This') };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { fault: error.message };
  }
};

/** Creates the approver. Without a terminal it leaves the call pending. */
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

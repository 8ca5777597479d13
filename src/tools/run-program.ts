/** Runs programs through the broker, and reports a missing program in one way. */
import type { CommandResult, ExecOptions, ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';

export type Exec = (
  command: string,
  args: readonly string[],
  options?: ExecOptions,
) => Promise<CommandResult>;

export interface ProgramCall extends ExecOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** How to install the program; shown when it is missing. */
  readonly install: string;
  /** False for a program whose exit code 127 is about another program, as with a shell. */
  readonly isItself?: boolean;
}

/** The message of shells, `env` and bubblewrap for a program that does not exist. */
const NOT_THERE = /^(?:bwrap: execvp |env: |\/usr\/bin\/env: |bash: ).*No such file or directory/m;

const isMissing = ({ exitCode, stdout, stderr }: CommandResult): boolean =>
  stdout === '' && (exitCode === 127 || (exitCode !== 0 && NOT_THERE.test(stderr)));

/** Runs a program; its exit code is data. Fails with DEPENDENCY_MISSING when it is not installed. */
export const runProgram = async (
  context: ToolContext,
  { program, args, install, isItself = true, ...options }: ProgramCall,
): Promise<CommandResult> => {
  if (context.signal.aborted) throw new ToolFailure('CANCELLED');
  const missing = () =>
    new ToolFailure('DEPENDENCY_MISSING', `The program ${program} is not installed.`, {
      suggestions: [install],
    });
  // The context binds `exec` only on access.
  const exec: Exec = context.exec.bind(context);
  try {
    const result = await exec(program, args, options);
    if (isItself && isMissing(result)) throw missing();
    return result;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') throw missing();
    // Replaces the sandbox's failure, which does not say how to install this program.
    if (isItself && errorCodeOf(error) === 'DEPENDENCY_MISSING') throw missing();
    throw error;
  }
};

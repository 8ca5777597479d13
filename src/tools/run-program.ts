/** How tools run programs: through the broker, with one way to say that a program is not installed. */
import type { CommandResult, ExecOptions, ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';

export type Exec = (
  command: string,
  args: readonly string[],
  options?: ExecOptions,
) => Promise<CommandResult>;

export interface ProgramCall extends ExecOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** How to get the program; shown when it is missing. */
  readonly install: string;
  /** False for a program whose exit code 127 speaks of another one, as with a shell. */
  readonly isItself?: boolean;
}

/** What shells, `env` and bubblewrap say instead of running a program. */
const NOT_THERE = /^(?:bwrap: execvp |env: |\/usr\/bin\/env: |bash: ).*No such file or directory/m;

const isMissing = ({ exitCode, stdout, stderr }: CommandResult): boolean =>
  stdout === '' && (exitCode === 127 || (exitCode !== 0 && NOT_THERE.test(stderr)));

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Fails with DEPENDENCY_MISSING when there is no such program. The exit code is data. */
export const runProgram = async (
  context: ToolContext,
  { program, args, install, isItself = true, ...options }: ProgramCall,
): Promise<CommandResult> => {
  if (context.signal.aborted) throw new ToolFailure('CANCELLED');
  const missing = () =>
    new ToolFailure('DEPENDENCY_MISSING', `The program ${program} is not installed.`, {
      suggestions: [install],
    });
  // The context binds `exec` when it is asked for it.
  const exec: Exec = context.exec.bind(context);
  try {
    const result = await exec(program, args, options);
    if (isItself && isMissing(result)) throw missing();
    return result;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw missing();
    // The sandbox does not know how this very program is installed.
    if (isItself && hasCode(error, 'DEPENDENCY_MISSING')) throw missing();
    throw error;
  }
};

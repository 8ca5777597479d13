/** Runs a command of the command line inside the shell: the same files, the same words. */
import { addCommands } from '../add-commands.ts';
import { bareProgram } from '../bare-program.ts';
import type { CommandEntry } from '../command-entry.ts';
import type { Io } from '../io.ts';
import { type Advice, reportThrown } from '../session/report-thrown.ts';

/** As it is typed here. */
export const SHELL_ADVICE: Advice = { help: '/help', doctor: '/doctor' };

/** What follows `--` belongs to somebody else. */
const asksForJson = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
};

/** Never throws: the answer is the exit code. */
export const runCommand = async (
  io: Io,
  args: readonly string[],
  commands: readonly CommandEntry[],
): Promise<number> => {
  const own: Io = { ...io, json: io.json || asksForJson(args), exitCode: 0 };
  try {
    const root = bareProgram(own).helpCommand(false);
    await addCommands(root, own, { commands, args });
    await root.parseAsync([...args], { from: 'user' });
    return own.exitCode;
  } catch (thrown) {
    return reportThrown(own, thrown, SHELL_ADVICE);
  }
};

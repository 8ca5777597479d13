/** Runs a command or a call of a tool inside the shell, as the command line does. */
import { parseArgs } from 'node:util';
import type { CallAs } from '../../contract/call-options.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Crib } from '../../contract/crib.ts';
import { misuse, wholeNumber } from '../input/misuse.ts';
import { readInput } from '../input/read-input.ts';
import type { Io } from '../io.ts';
import { addCommands, bareProgram, type CommandEntry } from '../program.ts';
import { callProgress, makeCall, orRefused } from '../session/make-call.ts';
import { type Advice, reportThrown } from '../session/report-thrown.ts';
import { terminalPerson } from '../session/terminal-person.ts';

/** The commands to suggest, as they are typed in the shell. */
export const SHELL_ADVICE: Advice = { help: '/help', doctor: '/doctor' };

/** Tells whether `--json` is among the options; what follows `--` belongs to the command. */
const asksForJson = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
};

/** Runs a command and returns the exit code. Never throws. */
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

interface RunCallDeps {
  readonly io: Io;
  readonly crib: Crib;
  readonly caller: Partial<Caller>;
  readonly signal: AbortSignal;
}

interface ToolCall {
  readonly tool: string;
  readonly args: readonly string[];
}

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  quiet: { type: 'boolean', short: 'q' },
  json: { type: 'boolean' },
  timeout: { type: 'string' },
  input: { type: 'string', short: 'i' },
} as const;

const readOptions = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch {
    throw misuse(
      'There is an option that a call does not have.',
      `A call takes --${Object.keys(OPTIONS).join(', --')}; put a value that starts with - in quotes behind key=.`,
    );
  }
};

type Options = ReturnType<typeof readOptions>['values'];

const callAs = ({ timeout, 'dry-run': dryRun }: Options): CallAs => ({
  ...(dryRun === true && { dryRun: true }),
  ...(timeout !== undefined && { timeoutMs: wholeNumber('--timeout', 1)(timeout) }),
});

/** Calls a tool on the open crib of the shell; returns the exit code. */
export const runCall = (deps: RunCallDeps, { tool, args }: ToolCall): Promise<number> =>
  orRefused(deps.io, tool, async () => {
    const { values: options, positionals } = readOptions(args);
    const { crib, caller, signal } = deps;
    const io: Io = { ...deps.io, json: deps.io.json || options.json === true };
    const { quiet = false, yes = false } = options;
    const given = await readInput(io, { args: positionals, file: options.input });
    const progress = callProgress(io, tool, quiet);
    const onQuestion = (open: boolean): void => progress?.pause(open);
    try {
      const approver = terminalPerson(io, { user: caller.userId, yes, onQuestion });
      const as = { ...callAs(options), signal, approver };
      return await makeCall(io, crib, { tool, given, caller, as, quiet, progress });
    } finally {
      progress?.stop();
    }
  });

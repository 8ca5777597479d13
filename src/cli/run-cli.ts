/** Finds the command, loads it alone, runs it, and turns whatever went wrong into words and a code. */
import { Command, CommanderError } from 'commander';
import type { ConfigError, ConfigProblem } from '../config/config-error.ts';
import { ERRORS, type Issue, type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import { addCommands } from './add-commands.ts';
import { COMMANDS } from './command-table.ts';
import { errorLines } from './error-lines.ts';
import { type Io, note, print, printJson } from './io.ts';

const EXAMPLES = `
Examples:
  toolcrib init
  toolcrib run calculator expression='sqrt(16)+2^3'
  toolcrib tools search "read a file"
  toolcrib audit list --limit 5

Exit codes: 0 success, 1 tool failed, 2 bad usage or input, 3 denied,
            4 timeout or cancelled, 5 waiting for an approval.
Each command explains itself: toolcrib <command> --help`;

/** `help tools info` is `tools info --help`. */
const withoutHelpWord = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' ? [...args.slice(1).filter((arg) => arg !== '--help'), '--help'] : args;

const rootProgram = (io: Io): Command =>
  new Command('toolcrib')
    .description('The governed tool runtime: every tool call validated, authorized and recorded.')
    .usage('<command> [options]')
    .option('--json', 'print one JSON document and nothing else')
    .option('--no-color', 'never use colour')
    .option('-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .helpCommand('help [command]', 'explain a command')
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => io.stdout.columns || 80,
      getOutHasColors: () => io.ink.isColorSupported,
      outputError: () => undefined,
    })
    .addHelpText('after', EXAMPLES);

const buildProgram = async (args: readonly string[], io: Io): Promise<Command> => {
  const program = rootProgram(io);
  await addCommands(program, io, { commands: COMMANDS, args });
  return program;
};

/** Commander's own errors, e.g. `error: unknown command 'rnu'\n(Did you mean run?)`. */
const usageError = ({ message }: CommanderError, args: readonly string[]): ToolError => {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  const known = COMMANDS.find(({ name }) => args.includes(name));
  const hints = rest.map((line) => line.replace(/^\((.*)\)$/, '$1')).filter((line) => line !== '');
  return toolError('VALIDATION_ERROR', first, {
    suggestions: [...hints, `See: toolcrib ${known ? `${known.name} ` : ''}--help`],
  });
};

/** Told by its code: the class is in a file that most runs need not load. */
const isConfigError = (error: unknown): error is ConfigError =>
  error instanceof Error && 'problems' in error && (error as ConfigError).code === 'CONFIG_INVALID';

const configIssue = ({ file, line, column, path, message }: ConfigProblem): Issue => ({
  path: path === '' ? [] : [path],
  message: `${message} (${file}${line === undefined ? '' : `:${line}:${column ?? 1}`})`,
});

/** The error a thrown thing stands for. A bug keeps its message: the reader is the person who ran it. */
const errorOf = (error: unknown, args: readonly string[]): ToolError => {
  if (error instanceof CommanderError) return usageError(error, args);
  if (error instanceof ToolFailure) return toolError(error.code, error.message, error.extras);
  if (isConfigError(error)) {
    return toolError('CONFIG_INVALID', undefined, {
      issues: error.problems.map(configIssue),
      suggestions: ['Correct what is named, then check it: toolcrib doctor'],
    });
  }
  return toolError('INTERNAL', error instanceof Error ? error.message : String(error));
};

const fail = (io: Io, thrown: unknown, args: readonly string[]): number => {
  const error = errorOf(thrown, args);
  if (io.json) printJson(io, { success: false, status: 'failure', error });
  else note(io, ...errorLines(error, io.noteInk));
  return ERRORS[error.code].exit;
};

/** Never throws: the answer is the exit code. */
export const runCli = async (given: readonly string[], io: Io): Promise<number> => {
  const args = withoutHelpWord(given);
  try {
    const program = await buildProgram(args, io);
    if (!args.some((arg) => !arg.startsWith('-'))) {
      return await answerBare(program, args, io);
    }
    await program.parseAsync([...args], { from: 'user' });
    return io.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    return fail(io, thrown, args);
  }
};

/** No command: the version when asked for it, the help otherwise. */
const answerBare = async (program: Command, args: readonly string[], io: Io): Promise<number> => {
  if (args.includes('--version') || args.includes('-V')) {
    const { createRequire } = await import('node:module');
    const pack: unknown = createRequire(import.meta.url)('../../package.json');
    const { version } = pack as { version: string };
    if (io.json) printJson(io, { version });
    else print(io, version);
    return 0;
  }
  const known = ['--json', '--no-color', '--help', '-h'];
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown !== undefined) await program.parseAsync([unknown], { from: 'user' });
  print(io, program.helpInformation().trimEnd(), EXAMPLES);
  return 0;
};

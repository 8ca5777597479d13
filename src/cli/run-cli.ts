/** Finds the command, loads only that one, runs it, and reports what went wrong with an exit code. */
import type { Command } from 'commander';
import { COMMANDS } from './command-table.ts';
import { type Io, print, printJson } from './io.ts';
import { programVersion } from './package-files.ts';
import { addCommands, bareProgram } from './program.ts';
import { type Advice, reportThrown } from './session/report-thrown.ts';

const EXAMPLES = `
Examples:
  toolcrib init
  toolcrib run calculator expression='sqrt(16)+2^3'
  toolcrib tools search "read a file"
  toolcrib audit list --limit 5

Exit codes: 0 success, 1 tool failed, 2 bad usage or input, 3 denied,
            4 timeout or cancelled, 5 waiting for an approval.
            2 also when something named does not exist; 1 also when a command
            that a tool ran failed (run bash_execution).
Each command explains itself: toolcrib <command> --help`;

const isHelpFlag = (arg: string): boolean => arg === '--help' || arg === '-h';

/** Tells whether the words name a command, or a subcommand of one. */
const isCommand = ([word, next]: readonly string[]): boolean => {
  const entry = COMMANDS.find(({ name }) => name === word);
  if (!entry) return word === undefined;
  return (
    next === undefined || !('commands' in entry) || entry.commands.some(({ name }) => name === next)
  );
};

/**
 * Rewrites `help tools info` as `tools info --help`. Help on an unknown command is run as that command,
 * because its error suggests the nearest one.
 */
const withoutHelpWord = (args: readonly string[]): readonly string[] => {
  const isHelp = args[0] === 'help';
  if (!isHelp && !args.some(isHelpFlag)) return args;
  const rest = (isHelp ? args.slice(1) : args).filter((arg) => !isHelpFlag(arg));
  const first = rest.findIndex((arg) => !arg.startsWith('-'));
  const words = first < 0 ? [] : rest.slice(first, first + 2).filter((arg) => !arg.startsWith('-'));
  if (!isCommand(words)) return words;
  return isHelp ? [...rest, '--help'] : args;
};

const rootProgram = (io: Io): Command =>
  bareProgram(io)
    .description('The governed tool runtime: every tool call validated, authorized and recorded.')
    .usage('<command> [options]')
    .option('--json', 'print one JSON document and nothing else')
    .option('--no-color', 'never use colour')
    .option('-V, --version', 'print the version')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', EXAMPLES);

const buildProgram = async (args: readonly string[], io: Io): Promise<Command> => {
  const program = rootProgram(io);
  await addCommands(program, io, { commands: COMMANDS, args });
  return program;
};

/** Finds the help to suggest: that of the command that was typed, as far as it is known. */
const adviceFor = (args: readonly string[]): Advice => {
  // The first word: a later one may be called like another command, as in `jobs add`.
  const word = args.find((arg) => !arg.startsWith('-'));
  const entry = COMMANDS.find(({ name }) => name === word);
  const next = entry && args[args.indexOf(entry.name) + 1];
  const below = entry && 'commands' in entry ? entry.commands : [];
  const sub = below.find(({ name }) => name === next);
  return {
    help: ['toolcrib', entry?.name, sub?.name, '--help'].filter(Boolean).join(' '),
    doctor: 'toolcrib doctor',
  };
};

/** Runs the command line and returns the exit code. Never throws. */
export const runCli = async (argv: readonly string[], io: Io): Promise<number> => {
  const args = withoutHelpWord(argv);
  try {
    const program = await buildProgram(args, io);
    if (!args.some((arg) => !arg.startsWith('-'))) {
      return await answerBare(program, args, io);
    }
    await program.parseAsync([...args], { from: 'user' });
    return io.exitCode;
  } catch (thrown) {
    return reportThrown(io, thrown, adviceFor(args));
  }
};

/** Answers a command line without a command: prints the version when asked for it, else the help. */
const answerBare = async (program: Command, args: readonly string[], io: Io): Promise<number> => {
  if (args.includes('--version') || args.includes('-V')) {
    const version = programVersion();
    if (io.json) printJson(io, { version });
    else print(io, version);
    return 0;
  }
  const flags = ['--json', '--no-color', '--help', '-h'];
  const unknown = args.find((arg) => !flags.includes(arg));
  if (unknown !== undefined) await program.parseAsync([unknown], { from: 'user' });
  print(io, program.helpInformation().trimEnd(), EXAMPLES);
  return 0;
};

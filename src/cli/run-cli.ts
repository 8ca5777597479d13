/** Finds the command, loads it alone, runs it, and turns whatever went wrong into words and a code. */
import type { Command } from 'commander';
import { addCommands } from './add-commands.ts';
import { bareProgram } from './bare-program.ts';
import { COMMANDS } from './command-table.ts';
import { type Io, print, printJson } from './io.ts';
import { type Advice, reportThrown } from './session/report-thrown.ts';

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

/** Help on the command that was meant, as far as that can be told. */
const adviceFor = (args: readonly string[]): Advice => {
  const known = COMMANDS.find(({ name }) => args.includes(name));
  const next = known && args[args.indexOf(known.name) + 1];
  const below = known && 'commands' in known ? known.commands : [];
  const sub = below.find(({ name }) => name === next);
  return {
    help: ['toolcrib', known?.name, sub?.name, '--help'].filter(Boolean).join(' '),
    doctor: 'toolcrib doctor',
  };
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
    return reportThrown(io, thrown, adviceFor(args));
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

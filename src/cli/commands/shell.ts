/** `toolcrib shell`: tools by name, commands with a slash, and chat with the configured model. */
import type { Command } from 'commander';
import { ToolFailure } from '../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../command-actions.ts';
import { type CallerOptions, callerFrom, withCaller } from '../input/caller-options.ts';
import { wholeNumber } from '../input/misuse.ts';
import type { Io } from '../io.ts';
import type { CommandEntry } from '../program.ts';
import { runShell } from '../shell/shell-loop.ts';
import { openSession } from '../shell/shell-session.ts';

interface ShellOptions extends CallerOptions {
  readonly maxSteps: number;
  readonly maxCost: number;
}

const dollars = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new ToolFailure('VALIDATION_ERROR', '--max-cost takes US dollars, more than 0.');
};

/** Names a new session, so that what is allowed "for this session" ends with the shell. */
const sessionName = ({ runtime }: Io): string =>
  `shell-${runtime.now().toString(36)}-${Math.floor(runtime.random() * 36 ** 6).toString(36)}`;

const shell = async (
  io: Io,
  commands: readonly CommandEntry[],
  { maxSteps, maxCost, ...as }: ShellOptions,
): Promise<number> => {
  const caller = { sessionId: sessionName(io), ...callerFrom(as) };
  const options = { commands, caller, bounds: { maxSteps, maxCostUsd: maxCost } };
  const session = await openSession(io, options);
  try {
    return await runShell(io, session, options);
  } finally {
    await session.close();
  }
};

export const shellCommand = (
  program: Command,
  io: Io,
  commands: readonly CommandEntry[],
): Command => {
  const command = withCaller(withJson(program.command('shell')))
    .option(
      '--max-steps <n>',
      'the most steps of the model for one message',
      wholeNumber('--max-steps', 1),
      20,
    )
    .option('--max-cost <usd>', 'the most US dollars for one message, calls included', dollars, 1)
    .action(leaving(io, (options: ShellOptions) => shell(io, commands, options)));
  return withExamples(
    command,
    'toolcrib shell',
    'echo "calculator expression=6*7" | toolcrib shell',
    'toolcrib shell --json < lines.txt',
  );
};

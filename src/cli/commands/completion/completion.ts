/** `toolcrib completion`: a script for the shell, made from the commands themselves. */
import { Argument, type Command } from 'commander';
import { addCommands } from '../../add-commands.ts';
import type { CommandEntry, Register } from '../../command-entry.ts';
import { leaving, withExamples } from '../../command-parts.ts';
import { type Io, print } from '../../io.ts';
import { bashScript } from './bash-script.ts';
import type { CommandOutline } from './command-outline.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const SCRIPTS: Readonly<Record<string, (outline: readonly CommandOutline[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Arguments that name a tool are completed with the names of tools. */
const takesTool = ({ registeredArguments }: Command, path: string): boolean =>
  registeredArguments.length > 0 && /^(run|policy explain|tools (info|enable|disable))$/.test(path);

const outlineOf = (command: Command, parent: string): CommandOutline => {
  const path = parent === '' ? command.name() : `${parent} ${command.name()}`;
  return {
    name: command.name(),
    path,
    summary: command.description(),
    options: command.options.map(({ long, short, description, required, optional }) => ({
      long: long ?? '',
      short: short ?? '',
      description,
      takesValue: required || optional,
    })),
    takesTool: takesTool(command, path),
    words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    commands: command.commands.map((child) => outlineOf(child, path)),
  };
};

/** Loads every command: only here all of them are needed at once. */
const outline = async (
  io: Io,
  all: readonly CommandEntry[],
): Promise<readonly CommandOutline[]> => {
  const { Command: Root } = await import('commander');
  const program = new Root('toolcrib').enablePositionalOptions();
  await addCommands(program, io, { commands: all, args: undefined });
  return program.commands.map((command) => outlineOf(command, ''));
};

const printScript = async (
  io: Io,
  shell: string,
  all: readonly CommandEntry[],
): Promise<number> => {
  const script = SCRIPTS[shell];
  if (script) print(io, script(await outline(io, all)).trimEnd());
  return 0;
};

export const completionCommand: Register = (program, io, all) =>
  withExamples(
    program
      .command('completion')
      .description('print a completion script for bash, zsh or fish')
      .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)))
      .action(leaving(io, (shell: string) => printScript(io, shell, all))),
    `bash   echo 'eval "$(toolcrib completion bash)"' >> ~/.bashrc`,
    `zsh    toolcrib completion zsh > ~/.zfunc/_toolcrib   (a folder on $fpath)`,
    `fish   toolcrib completion fish > ~/.config/fish/completions/toolcrib.fish`,
  );

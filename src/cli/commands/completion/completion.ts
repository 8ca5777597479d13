/** `toolcrib completion`: a script for the shell, made from the commands themselves. */
import { Argument, type Command } from 'commander';
import { leaving, withExamples } from '../../command-actions.ts';
import { type Io, print } from '../../io.ts';
import { addCommands, type CommandEntry, type Register } from '../../program.ts';
import { bashScript } from './bash-script.ts';
import { type CommandOutline, ID_KINDS, type IdKind, namesFor } from './command-outline.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const SCRIPTS: Readonly<Record<string, (outline: readonly CommandOutline[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Used in place of a shell's name by the scripts themselves, which ask for ids while a person types. */
const IDS = 'ids';

const outlineOf = (command: Command, parent: string): CommandOutline => {
  const path = parent === '' ? command.name() : `${parent} ${command.name()}`;
  return {
    name: command.name(),
    path,
    summary: command.description(),
    options: command.options.map(
      ({ long, short, description, required, optional, argChoices }) => ({
        long: long ?? '',
        short: short ?? '',
        description,
        takesValue: required || optional,
        choices: argChoices ?? [],
      }),
    ),
    names: namesFor(path),
    words: command.registeredArguments
      .flatMap(({ argChoices }) => argChoices ?? [])
      .filter((word) => word !== IDS),
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

interface CompletionRequest {
  readonly shell: string;
  readonly kind: string | undefined;
}

const printScript = async (
  io: Io,
  { shell, kind }: CompletionRequest,
  all: readonly CommandEntry[],
): Promise<number> => {
  if (shell === IDS) {
    const { listIds } = await import('./list-ids.ts');
    if (ID_KINDS.includes(kind as IdKind)) print(io, ...(await listIds(io, kind as IdKind)));
    return 0;
  }
  const script = SCRIPTS[shell];
  if (script) print(io, script(await outline(io, all)).trimEnd());
  return 0;
};

export const completionCommand: Register = (program, io, all) =>
  withExamples(
    program
      .command('completion')
      .addArgument(new Argument('<shell>', 'which shell').choices([...Object.keys(SCRIPTS), IDS]))
      .argument('[kind]', 'what the scripts ask for: the ids of this kind')
      .action(
        leaving(io, (shell: string, kind: string | undefined) =>
          printScript(io, { shell, kind }, all),
        ),
      ),
    `bash   echo 'eval "$(toolcrib completion bash)"' >> ~/.bashrc`,
    `zsh    toolcrib completion zsh > ~/.zfunc/_toolcrib   (a folder on $fpath)`,
    `fish   toolcrib completion fish > ~/.config/fish/completions/toolcrib.fish`,
  );

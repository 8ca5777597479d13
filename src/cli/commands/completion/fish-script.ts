/** The completion script for fish. */
import { type CommandOutline, flatten, type OptionOutline } from './command-outline.ts';

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Writes the condition that holds on the command line of exactly this command. */
const conditionFor = (path: string): string => {
  const [command = '', below] = path.split(' ');
  const condition = `__fish_seen_subcommand_from ${command}`;
  return quote(
    below === undefined ? condition : `${condition}; and __fish_seen_subcommand_from ${below}`,
  );
};

const optionLine = (
  path: string,
  { long, short, description, takesValue, choices }: OptionOutline,
): string => {
  const flags = [
    ...(long === '' ? [] : [`-l ${long.slice(2)}`]),
    ...(short === '' ? [] : [`-s ${short.slice(1)}`]),
    ...(takesValue ? [long === '--input' ? '-r -F' : '-x'] : []),
    ...(choices.length > 0 ? [`-a ${quote(choices.join(' '))}`] : []),
  ];
  return `complete -c toolcrib -n ${conditionFor(path)} ${flags.join(' ')} -d ${quote(description)}`;
};

const linesOf = (command: CommandOutline): readonly string[] => {
  const { path, commands } = command;
  const names = commands.map(({ name }) => name).join(' ');
  const none = quote(
    `__fish_seen_subcommand_from ${path}; and not __fish_seen_subcommand_from ${names}`,
  );
  return [
    ...commands.map(
      ({ name, summary }) => `complete -c toolcrib -n ${none} -a ${name} -d ${quote(summary)}`,
    ),
    ...command.options.map((option) => optionLine(path, option)),
    ...(command.names === ''
      ? []
      : [`complete -c toolcrib -n ${conditionFor(path)} -a ${quote(`(${command.names})`)}`]),
    ...command.words.map((word) => `complete -c toolcrib -n ${conditionFor(path)} -a ${word}`),
  ];
};

export const fishScript = (commands: readonly CommandOutline[]): string => {
  const top = [...commands, { name: 'help', summary: 'explain a command' }];
  return [
    '# fish completion for toolcrib',
    'complete -c toolcrib -f',
    ...top.map(
      ({ name, summary }) =>
        `complete -c toolcrib -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ),
    'complete -c toolcrib -l help -d explain',
    ...flatten(commands).flatMap(linesOf),
    '',
  ].join('\n');
};

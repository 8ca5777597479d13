/** The completion script for zsh. */
import type { CommandOutline, OptionOutline } from './command-outline.ts';

const quote = (text: string): string => text.replaceAll("'", "'\\''");

/** Escapes brackets and colons, which have a meaning inside `_arguments`. */
const plain = (text: string): string => quote(text.replaceAll(/[[\]:\\]/g, '\\$&'));

const optionSpec = (option: OptionOutline): readonly string[] => {
  const { long, short, description, takesValue, choices } = option;
  const values = choices.length > 0 ? `(${choices.join(' ')})` : ' ';
  const action = long === '--input' ? ':file:_files' : `:value:${values}`;
  return [long, short]
    .filter((flag) => flag !== '')
    .map((flag) => `'${flag}[${plain(description)}]${takesValue ? action : ''}'`);
};

const listOf = (commands: readonly CommandOutline[]): string =>
  commands.map(({ name, summary }) => `'${name}:${plain(summary)}'`).join(' ');

const functionName = (path: string): string => `_toolcrib_${path.replaceAll(/[^a-z]/g, '_')}`;

const argumentSpec = (command: CommandOutline): readonly string[] => {
  if (command.names !== '') {
    return [`'1:name:{_toolcrib_names "${command.names}"}'`, "'*:input: '"];
  }
  return command.words.length > 0 ? [`'1:word:(${command.words.join(' ')})'`] : [];
};

/** Writes the functions of subcommands first: zsh looks them up when they are called. */
const functionOf = (command: CommandOutline): string => {
  const specs = ["'--help[explain]'", ...command.options.flatMap(optionSpec)];
  const below = command.commands.map(functionOf).join('');
  if (command.commands.length === 0) {
    return `${functionName(command.path)}() {
  _arguments ${[...specs, ...argumentSpec(command)].join(' ')}
}
`;
  }
  const cases = command.commands
    .map(({ name, path }) => `        ${name}) ${functionName(path)} ;;`)
    .join('\n');
  return `${below}${functionName(command.path)}() {
  local state line
  _arguments -C ${specs.join(' ')} '1:command:->command' '*::argument:->argument'
  case "$state" in
    command)
      local -a commands
      commands=(${listOf(command.commands)})
      _describe command commands ;;
    argument)
      case "$line[1]" in
${cases}
      esac ;;
  esac
}
`;
};

export const zshScript = (commands: readonly CommandOutline[]): string => `#compdef toolcrib
_toolcrib_names() {
  local -a names
  names=(\${(f)"$(eval $1)"})
  compadd -a names
}
${commands.map(functionOf).join('')}_toolcrib() {
  local state line
  _arguments -C '--json[print one JSON document]' '--no-color[never use colour]' \\
    '--version[print the version]' '--help[explain]' \\
    '1:command:->command' '*::argument:->argument'
  case "$state" in
    command)
      local -a commands
      commands=(${listOf(commands)} 'help:explain a command')
      _describe command commands ;;
    argument)
      case "$line[1]" in
${commands.map(({ name, path }) => `        ${name}) ${functionName(path)} ;;`).join('\n')}
      esac ;;
  esac
}
if [ "$funcstack[1]" = "_toolcrib" ]; then _toolcrib "$@"; else compdef _toolcrib toolcrib; fi
`;

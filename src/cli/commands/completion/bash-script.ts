/** The completion script for bash. */
import { type CommandOutline, flatten } from './command-outline.ts';

const optionsOf = ({ options }: CommandOutline): readonly string[] => [
  ...options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag !== ''),
  '--help',
];

/** Offers the options of `list` at its parent too, because the parent runs it by default. */
const ownOptions = (command: CommandOutline): readonly string[] => {
  const byDefault = command.commands.find(({ name }) => name === 'list');
  return [...new Set([...optionsOf(command), ...(byDefault ? optionsOf(byDefault) : [])])];
};

const caseOf = (command: CommandOutline): string => {
  const names = command.names === '' ? '' : ` $(${command.names})`;
  const words = [...command.commands.map(({ name }) => name), ...command.words].join(' ');
  return `    '${command.path}')
      options='${ownOptions(command).join(' ')}'
      words="${words}${names}" ;;`;
};

/** Lists the commands whose second word belongs to the path. */
const nested = (commands: readonly CommandOutline[]): string =>
  flatten(commands)
    .flatMap(({ path, commands: below }) => below.map(({ name }) => `'${path} ${name}'`))
    .join('|');

/** Lists options with fixed values, and all values that they have anywhere. */
const chosen = (commands: readonly CommandOutline[]): string => {
  const values = new Map<string, Set<string>>();
  for (const { long, choices } of flatten(commands).flatMap(({ options }) => options)) {
    if (choices.length === 0) continue;
    values.set(long, new Set([...(values.get(long) ?? []), ...choices]));
  }
  return [...values]
    .map(
      ([flag, words]) =>
        `    ${flag}) COMPREPLY=($(compgen -W "${[...words].join(' ')}" -- "$current")); return ;;\n`,
    )
    .join('');
};

const valued = (commands: readonly CommandOutline[]): string =>
  [
    ...new Set(
      flatten(commands)
        .flatMap(({ options }) => options)
        .filter(({ takesValue }) => takesValue)
        .flatMap(({ long, short }) => [long, short])
        .filter((flag) => flag !== ''),
    ),
  ].join('|');

export const bashScript = (
  commands: readonly CommandOutline[],
): string => `# bash completion for toolcrib
_toolcrib() {
  local current previous path word options words
  current="\${COMP_WORDS[COMP_CWORD]}"
  previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "$previous" in
    --input|-i) COMPREPLY=($(compgen -f -- "$current")); return ;;
${chosen(commands)}    ${valued(commands)}) return ;;
  esac
  path=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    if [ -z "$path" ]; then path="$word"; continue; fi
    case "$path $word" in
      ${nested(commands)}) path="$path $word" ;;
    esac
  done
  case "$path" in
    '')
      options='--json --no-color --version --help'
      words='${commands.map(({ name }) => name).join(' ')} help' ;;
${flatten(commands).map(caseOf).join('\n')}
    help)
      options=''
      words='${commands.map(({ name }) => name).join(' ')}' ;;
    *) return ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _toolcrib toolcrib
`;

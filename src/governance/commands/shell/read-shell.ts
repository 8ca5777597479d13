/**
 * Walks the tree of a shell string and lists every simple command and opened file in it, wherever
 * they hide. A construct that is not named here is refused.
 */
import type {
  AndOr,
  Case,
  Command,
  CompoundList,
  For,
  If,
  ParsedScript,
  PipelineNode,
  Redirection,
  Statement,
  Word,
} from 'unbash';
import { refuse } from '../refusal.ts';
import type { Token } from '../token.ts';
import { accountForText, type Span } from './account-for-text.ts';
import { readRedirect } from './read-redirect.ts';
import { readScript } from './read-script.ts';
import { readTest } from './read-test.ts';
import type { SetVariable, ShellStep } from './shell-command.ts';
import { assertVariableName, findVariables, type Variables } from './shell-variables.ts';
import { readWord, type WordScope } from './shell-word.ts';

const MAX_DEPTH = 50;

interface Place {
  readonly source: string;
  readonly variables: Variables;
  readonly loops: ReadonlySet<string>;
  readonly depth: number;
  readonly steps: ShellStep[];
  /** What of the innermost script has been read. */
  readonly spans: Span[];
}

const deeper = (place: Place): Place => {
  if (place.depth >= MAX_DEPTH) {
    refuse('The command is nested too deeply.', 'Split it into several commands.');
  }
  return { ...place, depth: place.depth + 1 };
};

const scopeOf = (place: Place, splits: boolean): WordScope => ({
  source: place.source,
  variables: place.variables,
  loops: place.loops,
  splits,
  inner: (script, pos, end) => readRegion(script, { pos, end }, { ...deeper(place), spans: [] }),
});

const saw = (place: Place, { pos, end }: Word | Command['prefix'][number]): void => {
  place.spans.push({ pos, end, isWord: true });
};

const read = (word: Word, place: Place, splits: boolean): readonly Token[] => {
  saw(place, word);
  return readWord(word, scopeOf(place, splits));
};

const readRedirects = (redirects: readonly Redirection[], place: Place): void => {
  const reader = {
    scope: scopeOf(place, true),
    saw: (span: Span) => void place.spans.push(span),
    add: (step: ShellStep) => void place.steps.push(step),
  };
  for (const redirect of redirects) readRedirect(redirect, reader);
};

/** `a[i]=…`, `a+=…` and `a=(…)` evaluate subscripts or build arrays: refused. */
const readAssignment = (node: Command['prefix'][number], place: Place): SetVariable[] => {
  if (node.type !== 'Assignment') return [];
  const { name, value, text } = node;
  if (value.type !== 'Word' || text !== `${name}=${value.text}`) {
    return refuse('An assignment is not of the form name=value.', 'Set plain variables only.');
  }
  saw(place, node);
  return [{ name, value: readWord(value, scopeOf(place, false)) }];
};

const readCommand = (node: Command, place: Place): void => {
  const environment = node.prefix.flatMap((part) => readAssignment(part, place));
  const words: (readonly Token[])[] = [];
  for (const word of node.name === undefined ? [] : [node.name, ...node.args]) {
    if (word.type === 'Assignment') {
      refuse('A builtin sets variables.', 'Write name=value on its own.');
    } else words.push(read(word, place, true));
  }
  if (words.length === 0) for (const { name } of environment) assertVariableName(name);
  else place.steps.push({ type: 'command', words, environment });
  readRedirects(node.redirects, place);
};

const readLists = (lists: readonly (CompoundList | undefined)[], place: Place): void => {
  for (const list of lists) if (list) readStatements(list.commands, place);
};

const readIf = (node: If, place: Place): void => {
  const branches = node.elif.flatMap(({ clause, then }) => [clause, then]);
  readLists([node.clause, node.then, ...branches, node.else], place);
};

const readFor = (node: For, place: Place): void => {
  assertVariableName(node.name.text);
  saw(place, node.name);
  if (node.wordlist === undefined) {
    return void refuse('A loop has no list of values.', 'Name the values: for x in a b; do …');
  }
  for (const word of node.wordlist) {
    if (read(word, place, true).some(({ kind }) => kind === 'glob')) {
      refuse('A loop runs over a file pattern.', 'Name the files, or use find or rg.');
    }
  }
  readLists([node.body], { ...place, loops: new Set([...place.loops, node.name.text]) });
};

const readCase = (node: Case, place: Place): void => {
  read(node.word, place, false);
  for (const item of node.items) {
    for (const pattern of item.pattern) read(pattern, place, false);
    readLists([item.body], place);
  }
};

const readNode = (node: PipelineNode | AndOr, outer: Place): void => {
  const place = deeper(outer);
  switch (node.type) {
    case 'Command':
      return void readCommand(node, place);
    case 'Pipeline':
    case 'AndOr':
      for (const part of node.commands) readNode(part, place);
      return;
    case 'Subshell':
    case 'BraceGroup':
      return void readLists([node.body], place);
    case 'If':
      return void readIf(node, place);
    case 'While':
      return void readLists([node.clause, node.body], place);
    case 'For':
      return void readFor(node, place);
    case 'Case':
      return void readCase(node, place);
    case 'TestCommand':
      return void readTest(node.expression, {
        read: (word) => read(word, place, false),
        addFile: (target) => place.steps.push({ type: 'redirect', access: 'read', target }),
      });
    case 'Redirected':
      readNode(node.command, place);
      return void readRedirects(node.redirects, place);
    default:
      refuse(
        'The command defines a function, starts a coprocess or uses arithmetic or select.',
        'Write the commands themselves.',
      );
  }
};

const readStatements = (statements: readonly Statement[], place: Place): void => {
  for (const { command, background } of statements) {
    if (background) {
      refuse('A part of the command runs in the background.', 'Run it in the foreground.');
    }
    readNode(command, place);
  }
};

type Region = Omit<Span, 'isWord'>;

const readRegion = (script: ParsedScript, region: Region, place: Place): void => {
  if (script.errors !== undefined) {
    refuse('A substitution is not complete shell syntax.', 'Close every quote and bracket.');
  }
  readStatements(script.commands, place);
  accountForText(place.source, region, place.spans);
};

/** Every command and opened file of a shell string, in its order. Throws a `Refusal`. */
export const readShell = (source: string): readonly ShellStep[] => {
  const script = readScript(source);
  const variables = findVariables(script);
  const steps: ShellStep[] = [];
  const place = { source, variables, loops: new Set<string>(), depth: 0, steps, spans: [] };
  readRegion(script, { pos: 0, end: source.length }, place);
  return steps;
};

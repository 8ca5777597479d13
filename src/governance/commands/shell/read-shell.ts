/**
 * Walks the syntax tree of a shell string and lists every simple command and opened file in it. A
 * construct that has no case here is refused.
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
import type { SetVariable, ShellStep, Token } from '../token.ts';
import { accountForText, type Span } from './account-for-text.ts';
import { readRedirect } from './read-redirect.ts';
import { readScript } from './read-script.ts';
import { readTest } from './read-test.ts';
import { assertVariableName, findVariables, type Variables } from './shell-variables.ts';
import { readWord, type WordScope } from './shell-word.ts';

const MAX_DEPTH = 50;

interface ReadState {
  readonly source: string;
  readonly variables: Variables;
  readonly loops: ReadonlySet<string>;
  readonly depth: number;
  readonly steps: ShellStep[];
  /** The parts of the innermost script that have been read. */
  readonly spans: Span[];
}

const deeper = (state: ReadState): ReadState => {
  if (state.depth >= MAX_DEPTH) {
    refuse('The command is nested too deeply.', 'Split it into several commands.');
  }
  return { ...state, depth: state.depth + 1 };
};

const scopeOf = (state: ReadState, splits: boolean): WordScope => ({
  source: state.source,
  variables: state.variables,
  loops: state.loops,
  splits,
  inner: (script, pos, end) => readRegion(script, { pos, end }, { ...deeper(state), spans: [] }),
});

const recordSpan = (state: ReadState, { pos, end }: Word | Command['prefix'][number]): void => {
  state.spans.push({ pos, end, isWord: true });
};

const read = (word: Word, state: ReadState, splits: boolean): readonly Token[] => {
  recordSpan(state, word);
  return readWord(word, scopeOf(state, splits));
};

const readRedirects = (redirects: readonly Redirection[], state: ReadState): void => {
  const reader = {
    scope: scopeOf(state, true),
    recordSpan: (span: Span) => void state.spans.push(span),
    add: (step: ShellStep) => void state.steps.push(step),
  };
  for (const redirect of redirects) readRedirect(redirect, reader);
};

/** Reads `a=…`. Refuses `a[i]=…`, `a+=…` and `a=(…)`: subscripts and arrays are evaluated. */
const readAssignment = (node: Command['prefix'][number], state: ReadState): SetVariable[] => {
  if (node.type !== 'Assignment') return [];
  const { name, value, text } = node;
  if (value.type !== 'Word' || text !== `${name}=${value.text}`) {
    return refuse('An assignment is not of the form name=value.', 'Set plain variables only.');
  }
  recordSpan(state, node);
  return [{ name, value: readWord(value, scopeOf(state, false)) }];
};

const readCommand = (node: Command, state: ReadState): void => {
  const environment = node.prefix.flatMap((part) => readAssignment(part, state));
  const words: (readonly Token[])[] = [];
  for (const word of node.name === undefined ? [] : [node.name, ...node.args]) {
    if (word.type === 'Assignment') {
      refuse('A builtin sets variables.', 'Write name=value on its own.');
    } else words.push(read(word, state, true));
  }
  if (words.length === 0) for (const { name } of environment) assertVariableName(name);
  else state.steps.push({ type: 'command', words, environment });
  readRedirects(node.redirects, state);
};

const readLists = (lists: readonly (CompoundList | undefined)[], state: ReadState): void => {
  for (const list of lists) if (list) readStatements(list.commands, state);
};

const readIf = (node: If, state: ReadState): void => {
  const branches = node.elif.flatMap(({ clause, then }) => [clause, then]);
  readLists([node.clause, node.then, ...branches, node.else], state);
};

const readFor = (node: For, state: ReadState): void => {
  assertVariableName(node.name.text);
  recordSpan(state, node.name);
  if (node.wordlist === undefined) {
    return void refuse('A loop has no list of values.', 'Name the values: for x in a b; do …');
  }
  for (const word of node.wordlist) {
    if (read(word, state, true).some(({ kind }) => kind === 'glob')) {
      refuse('A loop runs over a file pattern.', 'Name the files, or use find or rg.');
    }
  }
  readLists([node.body], { ...state, loops: new Set([...state.loops, node.name.text]) });
};

const readCase = (node: Case, state: ReadState): void => {
  read(node.word, state, false);
  for (const item of node.items) {
    for (const pattern of item.pattern) read(pattern, state, false);
    readLists([item.body], state);
  }
};

const readNode = (node: PipelineNode | AndOr, outer: ReadState): void => {
  const state = deeper(outer);
  switch (node.type) {
    case 'Command':
      return void readCommand(node, state);
    case 'Pipeline':
    case 'AndOr':
      for (const part of node.commands) readNode(part, state);
      return;
    case 'Subshell':
    case 'BraceGroup':
      return void readLists([node.body], state);
    case 'If':
      return void readIf(node, state);
    case 'While':
      return void readLists([node.clause, node.body], state);
    case 'For':
      return void readFor(node, state);
    case 'Case':
      return void readCase(node, state);
    case 'TestCommand':
      return void readTest(node.expression, {
        read: (word) => read(word, state, false),
        addFile: (target) => state.steps.push({ type: 'redirect', access: 'read', target }),
      });
    case 'Redirected':
      readNode(node.command, state);
      return void readRedirects(node.redirects, state);
    default:
      refuse(
        'The command defines a function, starts a coprocess or uses arithmetic or select.',
        'Write the commands themselves.',
      );
  }
};

const readStatements = (statements: readonly Statement[], state: ReadState): void => {
  for (const { command, background } of statements) {
    if (background) {
      refuse('A part of the command runs in the background.', 'Run it in the foreground.');
    }
    readNode(command, state);
  }
};

type Region = Omit<Span, 'isWord'>;

const readRegion = (script: ParsedScript, region: Region, state: ReadState): void => {
  if (script.errors !== undefined) {
    refuse('A substitution is not complete shell syntax.', 'Close every quote and bracket.');
  }
  readStatements(script.commands, state);
  accountForText(state.source, region, state.spans);
};

/** Lists every command and opened file of a shell string in order. Throws a `Refusal`. */
export const readShell = (source: string): readonly ShellStep[] => {
  const script = readScript(source);
  const variables = findVariables(script);
  const steps: ShellStep[] = [];
  const state = { source, variables, loops: new Set<string>(), depth: 0, steps, spans: [] };
  readRegion(script, { pos: 0, end: source.length }, state);
  return steps;
};

/**
 * Reads a line of the shell: a command with a slash, a call of a tool, or a message to the model. A line
 * is a call only when it has the form of one, so that a message may begin with the name of a tool.
 */
import { readPair } from '../input/pairs.ts';
import { findJsonFault } from '../input/parse-json.ts';

interface SplitLine {
  readonly words: readonly string[];
  /** True when a quote is not closed or the line ends in a backslash: the line continues. */
  readonly open: boolean;
}

type Quote = '"' | "'" | undefined;

interface State {
  readonly words: string[];
  /** `undefined` between words: an empty pair of quotes is a word too. */
  word: string | undefined;
  quote: Quote;
}

const add = (state: State, text: string): void => {
  state.word = (state.word ?? '') + text;
};

const end = (state: State): void => {
  if (state.word !== undefined) state.words.push(state.word);
  state.word = undefined;
};

/** Inside double quotes a backslash escapes only these. */
const ESCAPED = new Set(['"', '\\', '$', '`']);

const addEscaped = (state: State, next: string): void => {
  if (next === '\n') return;
  add(state, state.quote === '"' && !ESCAPED.has(next) ? `\\${next}` : next);
};

const plain = (state: State, character: string): void => {
  if (state.quote !== undefined) {
    if (character === state.quote) state.quote = undefined;
    else add(state, character);
  } else if (character === '"' || character === "'") {
    state.quote = character;
    add(state, '');
  } else if (/\s/.test(character)) end(state);
  else add(state, character);
};

/** Splits a line into words as a POSIX shell would: quotes and backslashes, and nothing else. */
export const splitWords = (text: string): SplitLine => {
  const state: State = { words: [], word: undefined, quote: undefined };
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character !== '\\' || state.quote === "'") {
      plain(state, character);
      continue;
    }
    if (at + 1 === text.length) return { words: state.words, open: true };
    at += 1;
    addEscaped(state, text.charAt(at));
  }
  const open = state.quote !== undefined;
  end(state);
  return { words: state.words, open };
};

export type ShellLine =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'call'; readonly tool: string; readonly args: readonly string[] }
  | { readonly kind: 'talk'; readonly text: string }
  /** A command or a call with a quote that is not closed. */
  | { readonly kind: 'unclosed' };

type IsTool = (name: string) => boolean;

const WITH_JSON = /^(\S+)\s+([{[][\s\S]*)$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/;

/** Accepts lines as hints of other commands print them: `toolcrib tools info x`. */
const withoutProgram = (text: string): string =>
  text.startsWith('toolcrib run ')
    ? text.slice('toolcrib run '.length).trim()
    : text.replace(/^toolcrib\s+(?=\S)/, '/');

const isArgument = (word: string): boolean =>
  word.startsWith('-') || readPair(word) !== undefined || /^[{[]/.test(word);

/** Takes JSON as it is: splitting would remove its quotes. Options may follow. */
const jsonArguments = (json: string): readonly string[] | undefined => {
  if (findJsonFault(json) === undefined) return [json];
  const [, body = '', options = ''] = /^([\s\S]*?[\]}])(\s+-[^\]}]*)$/.exec(json) ?? [];
  return body !== '' && findJsonFault(body) === undefined
    ? [body, ...splitWords(options).words]
    : undefined;
};

const callOf = (text: string, isTool: IsTool): ShellLine | undefined => {
  const [, named = '', json = ''] = WITH_JSON.exec(text) ?? [];
  if (json !== '' && NAME.test(named)) {
    // Broken JSON after the name of a tool is a call as well: its error says where it breaks.
    const args = jsonArguments(json) ?? (isTool(named) ? [json] : undefined);
    if (args) return { kind: 'call', tool: named, args };
  }
  const { words, open } = splitWords(text);
  const [tool = '', ...args] = words;
  if (!NAME.test(tool)) return undefined;
  const isBegun = isTool(tool) && args[0] !== undefined && isArgument(args[0]);
  if (open) return isBegun ? { kind: 'unclosed' } : undefined;
  const fits = args.every(isArgument) && (args.length > 0 || isTool(tool));
  return fits || isBegun ? { kind: 'call', tool, args } : undefined;
};

export const readShellLine = (line: string, isTool: IsTool): ShellLine => {
  const text = withoutProgram(line.trim());
  if (text === '' || text.startsWith('#')) return { kind: 'nothing' };
  if (text.startsWith('/')) {
    const { words, open } = splitWords(text.slice(1));
    return open ? { kind: 'unclosed' } : { kind: 'command', words };
  }
  return callOf(text, isTool) ?? { kind: 'talk', text };
};

/** Says whether brackets or strings are not closed yet. */
const isOpenJson = (json: string): boolean => {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === '{' || character === '[')) depth += 1;
    else if (!quoted && (character === '}' || character === ']')) depth -= 1;
  }
  return quoted || depth > 0;
};

/** Says whether a line continues: a backslash at its end, or a call that is not closed. Messages never do. */
export const isOpenLine = (line: string, isTool: IsTool): boolean => {
  const text = withoutProgram(line.trimStart());
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text)) return true;
  const [, named = '', json = ''] = WITH_JSON.exec(text) ?? [];
  if (json !== '' && isTool(named)) return isOpenJson(json);
  if (text.startsWith('/')) return splitWords(text).open;
  const [, tool = '', rest = ''] = /^(\S+)\s+([\s\S]*)$/.exec(text) ?? [];
  return (
    isTool(tool) && readPair(rest.split(/\s/, 1)[0] ?? '') !== undefined && splitWords(rest).open
  );
};

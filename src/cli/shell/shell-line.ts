/**
 * What a line of the shell asks for: a command with a slash, a call of a tool, or talk. Words are only
 * taken for a call when they have the form of one, so that talk may begin with the name of a tool.
 */

import { readPair } from '../input/pairs.ts';
import { findJsonFault } from '../input/parse-json.ts';

interface SplitLine {
  readonly words: readonly string[];
  /** A quote is not closed, or a backslash stands at the end: there is more to come. */
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

/** Inside double quotes a backslash stands for itself before all but these. */
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
  /** A command or a call whose last quote never ended: what was meant by it is anybody's guess. */
  | { readonly kind: 'unclosed' };

type IsTool = (name: string) => boolean;

const WITH_JSON = /^(\S+)\s+([{[][\s\S]*)$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/;

/** What the hints of other commands say can be typed here as well: `toolcrib tools info x`. */
const withoutProgram = (text: string): string =>
  text.startsWith('toolcrib run ')
    ? text.slice('toolcrib run '.length).trim()
    : text.replace(/^toolcrib\s+(?=\S)/, '/');

const isArgument = (word: string): boolean =>
  word.startsWith('-') || readPair(word) !== undefined || /^[{[]/.test(word);

/** The JSON is taken as it stands: the quotes of a shell would eat its own. Options may follow. */
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
    // Of a tool that exists, broken JSON is a call as well: it is told where it breaks.
    const args = jsonArguments(json) ?? (isTool(named) ? [json] : undefined);
    if (args) return { kind: 'call', tool: named, args };
  }
  const { words, open } = splitWords(text);
  const [tool = '', ...args] = words;
  if (!NAME.test(tool)) return undefined;
  const begun = isTool(tool) && args[0] !== undefined && isArgument(args[0]);
  if (open) return begun ? { kind: 'unclosed' } : undefined;
  const fits = args.every(isArgument) && (args.length > 0 || isTool(tool));
  return fits || begun ? { kind: 'call', tool, args } : undefined;
};

export const readShellLine = (given: string, isTool: IsTool): ShellLine => {
  const text = withoutProgram(given.trim());
  if (text === '' || text.startsWith('#')) return { kind: 'nothing' };
  if (text.startsWith('/')) {
    const { words, open } = splitWords(text.slice(1));
    return open ? { kind: 'unclosed' } : { kind: 'command', words };
  }
  return callOf(text, isTool) ?? { kind: 'talk', text };
};

/** Brackets and strings that are not closed yet. */
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

/** True while a line goes on: a backslash at its end, or a call that is not closed. Talk is never open. */
export const isOpenLine = (given: string, isTool: IsTool): boolean => {
  const text = withoutProgram(given.trimStart());
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text)) return true;
  const [, named = '', json = ''] = WITH_JSON.exec(text) ?? [];
  if (json !== '' && isTool(named)) return isOpenJson(json);
  if (text.startsWith('/')) return splitWords(text).open;
  const [, tool = '', rest = ''] = /^(\S+)\s+([\s\S]*)$/.exec(text) ?? [];
  return (
    isTool(tool) && readPair(rest.split(/\s/, 1)[0] ?? '') !== undefined && splitWords(rest).open
  );
};

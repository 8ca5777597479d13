/** Splits a line into words as a POSIX shell would: quotes and backslashes, and nothing else. */

export interface SplitLine {
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

/**
 * Reads what a word of a shell string can become: its possible values when all of it is agreed, a
 * pattern, or one word of unknown value. Expansions that can run code or split are refused.
 */
import type {
  CommandExpansionPart,
  DoubleQuotedPart,
  ParsedScript,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from 'unbash';
import { refuse } from '../refusal.ts';
import type { Token } from '../token.ts';
import {
  decodeAnsi,
  decodeBare,
  decodeDouble,
  decodeSingle,
  hasBraces,
  hasBracketPattern,
  hasTilde,
} from './decode-quoting.ts';
import type { Variables } from './shell-variables.ts';

export interface WordScope {
  readonly source: string;
  readonly variables: Variables;
  /** Loops around the word, by their variable. */
  readonly loops: ReadonlySet<string>;
  /** False where bash neither splits nor expands patterns: assignments, `[[`, `case`. */
  readonly splits: boolean;
  /** Judges the script of a substitution that fills this region of the source. */
  readonly inner: (script: ParsedScript, pos: number, end: number) => void;
}

/** The possible texts of a part of a word. */
type Possible = { readonly kind: Token['kind']; readonly texts: readonly string[] };

const MAX_VALUES = 64;
const UNKNOWN: Possible = { kind: 'dynamic', texts: [''] };
const VARIABLE = /^\$(?:\{([a-z][a-z0-9]*)(?:(?:%%?|##?)[\w.*/-]+)?\}|([a-z][a-z0-9]*))$/;
/** Numbers and operators alone: a name's value would be evaluated again, subscripts included. */
const ARITHMETIC = /^\$\(\([\d\s+*/%<>=!&|^~()?:-]*\)\)$/;

const notPlain = (): never =>
  refuse(
    'A word uses an expansion or quoting that cannot be judged.',
    'Write the value itself, in single quotes if it has special characters.',
  );

const agreed = (own: string | undefined, theirs: string): Possible =>
  own === undefined || own !== theirs ? notPlain() : { kind: 'static', texts: [own] };

const readVariable = (text: string, scope: WordScope): Possible => {
  if (text === '$?') return UNKNOWN;
  const [, braced, bare] = VARIABLE.exec(text) ?? notPlain();
  const name = (braced ?? bare) as string;
  const variable = scope.variables.get(name);
  if (variable === undefined) {
    return refuse(
      'A variable is used that the command does not set itself.',
      'Write the value instead of the variable.',
    );
  }
  if (variable.values === undefined || /[%#]/.test(text)) return UNKNOWN;
  const isSet = variable.isLoopOnly && scope.loops.has(name);
  return { kind: 'static', texts: isSet ? variable.values : [...variable.values, ''] };
};

type Substitution = CommandExpansionPart | ProcessSubstitutionPart;

/**
 * Reads a command or process substitution. Backquotes unescape their text first, so they are
 * refused when there is anything to unescape.
 */
const readSubstitution = (part: Substitution, scope: WordScope): void => {
  const opening = part.text.startsWith('`') ? 1 : 2;
  const isKnown = /^(?:`[^\\]*`|\$\((?!\().*\)|<\(.*\))$/s.test(part.text);
  if (part.script === undefined || !isKnown) return void notPlain();
  scope.inner(part.script, part.pos + opening, part.end - 1);
};

const readExpansion = (part: WordPart, scope: WordScope): Possible => {
  switch (part.type) {
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return readVariable(part.text, scope);
    case 'CommandExpansion':
      readSubstitution(part, scope);
      return UNKNOWN;
    case 'ArithmeticExpansion':
      return ARITHMETIC.test(part.text) ? UNKNOWN : notPlain();
    default:
      return notPlain();
  }
};

const product = (left: Possible, right: Possible): Possible => {
  if (left.kind !== 'static') return left;
  const texts = left.texts.flatMap((start) => right.texts.map((rest) => start + rest));
  if (texts.length > MAX_VALUES) {
    refuse('A word has too many possible values.', 'Loop over fewer values.');
  }
  return { kind: right.kind, texts };
};

/** Joins the pieces of a word. The text before an unknown piece is the head. */
const joined = (pieces: readonly Possible[]): Possible => {
  const whole = pieces.reduce(product, { kind: 'static', texts: [''] });
  const isGlob = pieces.some(({ kind }) => kind === 'glob');
  if (isGlob && pieces.some(({ kind }) => kind === 'dynamic')) notPlain();
  return isGlob ? { ...whole, kind: 'glob' } : whole;
};

const readDouble = (part: DoubleQuotedPart, scope: WordScope): Possible =>
  joined(
    part.parts.map((child, index) =>
      child.type === 'Literal'
        ? agreed(
            decodeDouble({ text: child.text, isLast: index === part.parts.length - 1 }),
            child.value,
          )
        : readExpansion(child, scope),
    ),
  );

const readUnquoted = (part: WordPart, scope: WordScope): Possible => {
  if (part.type === 'ProcessSubstitution') {
    readSubstitution(part, scope);
    return { kind: 'stream', texts: [''] };
  }
  if (part.type === 'Glob') return { kind: 'glob', texts: [''] };
  const value = readExpansion(part, scope);
  const isNumber = part.type === 'ArithmeticExpansion' || part.text === '$?';
  if (scope.splits && !isNumber) {
    refuse(
      'An expansion outside double quotes can become several words or file names.',
      'Put it in double quotes.',
    );
  }
  return value;
};

const readPart = (part: WordPart, scope: WordScope, isLast: boolean): Possible => {
  switch (part.type) {
    case 'Literal':
      return agreed(decodeBare({ text: part.text, isLast }), part.value);
    case 'SingleQuoted':
      return agreed(decodeSingle(part.text), part.value);
    case 'AnsiCQuoted':
      return agreed(decodeAnsi(part.text), part.value);
    case 'DoubleQuoted':
      return readDouble(part, scope);
    default:
      return readUnquoted(part, scope);
  }
};

/** Gives the parts of a word, which must cover it without a gap and match the source. */
const partsOf = (word: Word, source: string): readonly WordPart[] => {
  const { pos, end, text, value } = word;
  const parts = word.parts ?? [{ type: 'Literal' as const, pos, end, text, value }];
  let at = pos;
  for (const part of parts) {
    if (part.pos !== at || source.slice(part.pos, part.end) !== part.text) notPlain();
    at = part.end;
  }
  if (at !== end) notPlain();
  return parts;
};

/** Lists everything a word can be, one token for each possibility. */
export const readWord = (word: Word, scope: WordScope): readonly Token[] => {
  const parts = partsOf(word, scope.source);
  const bare = parts.map((part) => (part.type === 'Literal' ? part.text : '')).join('"');
  const isMixedStream =
    parts.length > 1 && parts.some(({ type }) => type === 'ProcessSubstitution');
  if (isMixedStream || hasTilde(bare) || hasBraces(bare) || hasBracketPattern(bare)) notPlain();
  const whole = joined(
    parts.map((part, index) => readPart(part, scope, index === parts.length - 1)),
  );
  if (whole.texts.some((text) => text.includes('\n'))) {
    refuse('A word holds a newline.', 'Keep every argument on one line.');
  }
  return whole.texts.map((text) => ({
    text: whole.kind === 'static' ? text : word.text,
    kind: whole.kind,
    head: text,
  }));
};

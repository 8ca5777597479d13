/**
 * Finds values that are assigned to the name of a secret in a text: lines of an environment, flags,
 * headers, JSON, YAML, connection strings, source code. The name stays, the value goes.
 */
import {
  isBareSecret,
  isFilePlace,
  isFlagSecret,
  isQuotedSecret,
  isSentence,
  TYPE_OR_CODE,
} from './assigned-values.ts';
import type { NameKind } from './secret-names.ts';
import { isPlaceholder, looksRandom } from './secret-values.ts';
import { isCovered, NO_SPANS, type Span } from './span.ts';

/** Longer names are no names. */
const MAX_NAME = 64;
const MIN_NAME = 2;
const MAX_GAP = 4;

/** Where a name is, and whether it is quoted. */
interface Name extends Span {
  readonly isQuoted: boolean;
}

const FULL_WIDTH_COLON = 0xff1a;

const isNameCode = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code > 191 && code !== FULL_WIDTH_COLON);

const isBlank = (code: number): boolean => code === 32 || code === 9;
const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96;

/** What may stand before the name on the line of an environment or a YAML file. */
const LINE_START =
  /(?:^|[\r\n;{,])[ \t]{0,64}(?:(?:export|set|setx|declare -x|env|ENV|ARG|\$env:|-e|-|\?)[ \t]{0,4}){0,2}["']?$/;
const MAX_LINE_START = 96;

const wordStart = (text: string, end: number): number => {
  let from = end;
  const least = Math.max(0, end - MAX_NAME);
  while (from > least && isNameCode(text.charCodeAt(from - 1))) from--;
  return from;
};

const nameBefore = (text: string, separator: number): Name | undefined => {
  let to = separator;
  for (let gap = 0; gap < MAX_GAP && isBlank(text.charCodeAt(to - 1)); gap++) to--;
  const isQuoted = isQuote(text.charCodeAt(to - 1));
  if (isQuoted) to--;
  // `password?: string`, `options["password"] = …`
  else if (text.charCodeAt(to - 1) === 93 && isQuote(text.charCodeAt(to - 2))) to -= 2;
  const from = wordStart(text, to);
  if (to - from < MIN_NAME) return undefined;
  return { from, to, isQuoted };
};

/** Words that make a name together with the one before them: `API key: …`, `seed phrase: …`. */
const SECOND_WORD = /^(?:key|phrase|code|id|signature|words|answer|auth)$/i;

const startsLine = (text: string, { from }: Span): boolean =>
  LINE_START.test(text.slice(Math.max(0, from - MAX_LINE_START), from));

const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /"((?:[^"\\\r\n]|\\.){1,4096})(?="|$)/y,
  "'": /'((?:[^'\\\r\n]|\\.){1,4096})(?='|$)/y,
  '`': /`((?:[^`\\]|\\.){1,4096})(?=`|$)/y,
};
const GAP = /[ \t]{0,4}(?:!!?\w{1,16}[ \t]{1,4})?(?:[|>][-+]?[ \t]{0,4}\r?\n[ \t]{1,32})?/y;
/** Up to the next item of a query or a connection string. */
const LINE_VALUE = /(?:(?![&;][ \t]?[\w.-]{1,64}=)[^\s]){1,4096}/y;
const QUERY_VALUE = /[^\s"'`,;&#<>]{1,4096}/y;
const BARE_VALUE = /[^\s"'`,;&<>(){}[\]|\\]{1,4096}/y;
const REST_OF_LINE = /(?:[^\r\n"]|(?<==)"[^\r\n"]{0,1024}"){1,8192}/y;
const REST_OF_QUOTE = /[^\r\n"'`\\]{1,8192}/y;

const match = (pattern: RegExp, text: string, at: number): Span | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? { from: at, to: pattern.lastIndex } : undefined;
};

const SCHEME =
  /(?:Bearer|Basic|Digest|Token|Bot|ApiKey|Negotiate|NTLM|AWS4-HMAC-SHA256|[A-Z][A-Za-z0-9-]{2,20})[ \t]{1,4}/iy;

const quotedValue = (text: string, at: number): Span | undefined => {
  const pattern = QUOTED[text.charAt(at)];
  const span = pattern && match(pattern, text, at);
  return span && { from: span.from + 1, to: span.to };
};

/**
 * Finds the value of a header: it reaches to the end of its line, or of the text it is quoted in.
 */
const headerValue = (text: string, at: number, isQuoted: boolean): Span | undefined => {
  const scheme = match(SCHEME, text, at);
  const from = scheme ? scheme.to : at;
  return (
    match(isQuoted ? REST_OF_QUOTE : REST_OF_LINE, text, from) ?? match(REST_OF_QUOTE, text, at)
  );
};

const PHRASE_NAME = /phrase|mnemonic|seed|words/i;
/** The words of a wallet: 12 to 24 of them. */
const WORD_LIST = /["']?(?:[a-z]{3,8}[ ,]{1,3}){11,23}[a-z]{3,8}(?![a-z])/y;

const COOKIE_PAIR = /["']?[\w!#$%&*+.^|~-]{1,128}=[^\s;"']/y;

/** The separator, where the value begins, and the name with what it tells. */
interface AssignedValue {
  readonly at: number;
  readonly from: number;
  readonly name: Name;
  readonly word: string;
  readonly kind: NameKind;
}

/** The last one is the colon of Chinese and Japanese texts. */
const SEPARATORS = ['=', ':', '：'] as const;

/** Says what a name tells of its value. */
type NameJudge = (name: string) => NameKind;

export class AssignedSecrets {
  readonly #kindOf: NameJudge;

  constructor(kindOf: NameJudge) {
    this.#kindOf = kindOf;
  }

  find(text: string): readonly Span[] {
    const spans: Span[] = [];
    for (const separator of SEPARATORS) {
      let last: Span | undefined;
      for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + 1)) {
        // A long value of nothing but assignments would be matched again from each of them.
        if (at === 0 || isCovered(last, at)) continue;
        const span = this.#assignedAt(text, at);
        if (!span) continue;
        spans.push(span);
        last = span;
      }
    }
    if (text.includes('--')) spans.push(...this.#flags(text));
    if (text.includes('</')) spans.push(...this.#elements(text));
    if (text.includes('@tcp(') || text.includes('@unix(')) spans.push(...goAddresses(text));
    return spans.length === 0 ? NO_SPANS : spans;
  }

  #assignedAt(text: string, at: number): Span | undefined {
    const next = text.charCodeAt(at + 1);
    // `://`, `::`, `==` and the second character of `==`, `=>`, `!=`, `<=` assign nothing here.
    if (next === 47 && text.charCodeAt(at) === 58) return undefined;
    const before = text.charCodeAt(at - 1);
    if (before === 61 || before === 33 || before === 60) return undefined;
    const separatorStart =
      text.charCodeAt(at) === 61 && (before === 58 || before === 43) ? at - 1 : at;
    const name = nameBefore(text, separatorStart);
    if (!name) return undefined;
    const last = text.slice(name.from, name.to);
    if (text.charAt(at) === ':' && isFilePlace(last, name.isQuoted)) return undefined;
    const lastKind = this.#kindOf(last);
    if (lastKind !== 'plain') return this.#valueOf(text, { at, name, word: last, kind: lastKind });
    if (!SECOND_WORD.test(last) || text.charCodeAt(name.from - 1) !== 32) return undefined;
    const word = text.slice(wordStart(text, name.from - 1), name.to);
    const kind = this.#kindOf(word);
    return kind === 'plain' ? undefined : this.#valueOf(text, { at, name, word, kind });
  }

  #valueOf(
    text: string,
    { at, name, word, kind }: { at: number; name: Name; word: string; kind: NameKind },
  ): Span | undefined {
    const after = text.charAt(at + 1) === '>' || text.charAt(at + 1) === '=' ? at + 2 : at + 1;
    if (text.charAt(at + 1) === '=') return undefined;
    const gap = match(GAP, text, after);
    const from = gap ? gap.to : after;
    const words = PHRASE_NAME.test(word) ? match(WORD_LIST, text, from) : undefined;
    if (words) return words;
    const isHeader = /(?:authorization|cookies?|^x-auth)$/i.test(word);
    const isPlainPair = text.charAt(at) === '=' && !isQuote(text.charCodeAt(from));
    if (isHeader && !(isPlainPair && /(?:n|auth)$/i.test(word))) {
      const span = headerSpan(text, { from, name, word });
      if (span || !/cookie$/i.test(word)) return span;
      // What one cookie holds is judged by its form: other texts stand under that name, too.
      return this.#plainValue(text, { at, from, name, word, kind: 'maybe' });
    }
    return this.#plainValue(text, { at, from, name, word, kind });
  }

  #plainValue(text: string, assigned: AssignedValue): Span | undefined {
    const quoted = quotedValue(text, assigned.from);
    if (!quoted) return this.#bareValue(text, assigned);
    const value = text.slice(quoted.from, quoted.to);
    return isQuotedSecret(assigned.word, assigned.kind, value) ? quoted : undefined;
  }

  #bareValue(text: string, { at, from, name, word, kind }: AssignedValue): Span | undefined {
    const separator = text.charAt(at);
    const isTight = from === at + 1;
    const atLineStart = startsLine(text, name);
    const isLine = separator === '=' && isTight && atLineStart && !name.isQuoted;
    const isQuery = /[?&]/.test(text.charAt(name.from - 1));
    const span = match(isQuery ? QUERY_VALUE : isLine ? LINE_VALUE : BARE_VALUE, text, from);
    if (!span) return undefined;
    const value = text.slice(span.from, span.to);
    const next = text.charAt(span.to);
    const bare = { name: word, kind, value, next, isTight, separator, startsLine: atLineStart };
    return isBareSecret(bare) ? span : undefined;
  }

  /** Finds flags and their values with a blank between them: `--password hunter2`. */
  #flags(text: string): readonly Span[] {
    const spans: Span[] = [];
    for (const { 0: flag, 1: name = '', index } of text.matchAll(FLAG)) {
      const kind = this.#kindOf(name);
      if (kind === 'plain') continue;
      const from = index + flag.length;
      const quoted = quotedValue(text, from);
      const span = quoted ?? match(BARE_VALUE, text, from);
      if (!span) continue;
      const value = text.slice(span.from, span.to);
      const isSecret = quoted ? !isPlaceholder(value) : isFlagSecret(kind, value);
      if (isSecret) spans.push(span);
    }
    return spans;
  }

  /** Finds elements such as `<password>hunter2</password>`. */
  #elements(text: string): readonly Span[] {
    const spans: Span[] = [];
    for (const { 1: start = '', 2: name = '', 3: value = '', index } of text.matchAll(ELEMENT)) {
      const kind = this.#kindOf(name);
      if (kind === 'plain' || isPlaceholder(value.trim()) || isSentence(value)) continue;
      if (kind === 'maybe' && !looksRandom(value)) continue;
      const from = index + start.length;
      spans.push({ from, to: from + value.length });
    }
    return spans;
  }
}

/** `user:password@tcp(host)/db`, as drivers of Go write addresses. */
const GO_ADDRESS = /(?<=[\w.-]:)[^\s:@/"'`$<{*]{1,128}(?=@(?:tcp|unix)\()/g;
const goAddresses = (text: string): readonly Span[] =>
  Array.from(text.matchAll(GO_ADDRESS), ({ 0: password, index }) => ({
    from: index,
    to: index + password.length,
  }));

const FLAG =
  /(?<![\w-])--([A-Za-z_\u00c0-\uffff][\w.\u00c0-\uffff-]{1,63})[ \t]{1,4}(?=[^\s\-<$[{(])/g;
const ELEMENT = /(<([A-Za-z_\u00c0-\uffff][\w:.\u00c0-\uffff-]{1,63})>)([^<>\r\n]{2,4096})(?=<\/)/g;

const headerSpan = (
  text: string,
  { from, name, word }: { from: number; name: Name; word: string },
): Span | undefined => {
  const isCookie = /cookies?$/i.test(word);
  const start = isQuote(text.charCodeAt(from)) ? from + 1 : from;
  if (isCookie && !match(COOKIE_PAIR, text, start)) return undefined;
  const isQuoted = start > from || name.isQuoted || isQuote(text.charCodeAt(name.from - 1));
  const span = headerValue(text, start, isQuoted);
  if (!span) return undefined;
  const value = text.slice(span.from, span.to).trim();
  const isProse =
    !isCookie &&
    (isPlaceholder(value) ||
      /^[A-Za-z]{1,5}$/.test(value) ||
      isSentence(value) ||
      /[(){};]/.test(value.replace(/^[^()]*\)$/, (whole) => whole.slice(0, -1))) ||
      (TYPE_OR_CODE.test(value) && !/^[A-Za-z]{8,}$/.test(value)));
  return isProse ? undefined : span;
};

/**
 * Finds script-like content in text with a real HTML tokenizer: elements, attributes and URLs that a
 * browser would run or load. It only looks; the text stays as it is.
 */
import type { Finding } from './violation.ts';

export type ScriptKind = 'element' | 'handler' | 'url' | 'refresh' | 'srcdoc';

const ELEMENTS: ReadonlySet<string> = new Set([
  ...['script', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'portal'],
]);
const URL_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['href', 'src', 'action', 'formaction', 'data', 'poster', 'xlink:href', 'background'],
  ...['manifest', 'to', 'values', 'from', 'ping', 'codebase', 'cite', 'content'],
]);
const HANDLER = /^on[a-z]{3,}$/;
/** Browsers drop blanks and controls before and inside a scheme. */
const IGNORED_IN_SCHEME = /[\p{Cc}\p{Zs}]/gu;
const ACTIVE_SCHEME =
  /^(?:javascript|vbscript|livescript):|^data:(?:text\/html|image\/svg\+xml|text\/xml|application\/xhtml)/i;
const SCHEME_WINDOW = 256;

const TAG = /<[a-z]/i;
const LINK = /\]\([\p{Cc}\p{Zs}]*(?:java|vb)script:/iu;

/** Its first letter, before any work: most texts start with another one. */
const FIRST_LETTER = /^[\p{Cc}\p{Zs}]*[jvld]/iu;

export const isActiveUrl = (text: string): boolean =>
  FIRST_LETTER.test(text) &&
  ACTIVE_SCHEME.test(text.slice(0, SCHEME_WINDOW).replaceAll(IGNORED_IN_SCHEME, ''));

/**
 * Tells cheaply whether a text may hold script: false for almost every text, and then nothing has
 * to be loaded.
 */
export const mayHoldScript = (text: string): boolean =>
  (text.includes('<') && TAG.test(text)) ||
  (text.includes(':') && (isActiveUrl(text) || LINK.test(text)));

export type ScriptFinder = (text: string) => ReadonlySet<ScriptKind>;

const judgeAttribute = (name: string, value: string, kinds: Set<ScriptKind>): void => {
  if (HANDLER.test(name)) kinds.add('handler');
  else if (name === 'srcdoc') kinds.add('srcdoc');
  else if (URL_ATTRIBUTES.has(name) && isActiveUrl(value)) kinds.add('url');
};

const WORDS: Readonly<Record<ScriptKind, string>> = {
  element: 'an element that runs or loads something',
  handler: 'an event handler attribute',
  url: 'a URL that runs script',
  refresh: 'a page refresh',
  srcdoc: 'a document in an attribute',
};

export const describeKinds = (kinds: ReadonlySet<ScriptKind>): string =>
  [...kinds].map((kind) => WORDS[kind]).join(', ');

export const scriptLike = (kinds: ReadonlySet<ScriptKind>): Finding => ({
  type: 'injection',
  severity: 'low',
  description: `The text holds script-like content: ${describeKinds(kinds)}.`,
  remedy: 'Nothing was altered. Whoever shows the text in a page has to escape or clean it.',
});

const IGNORE = (): void => undefined;

/**
 * Loads the tokenizer; the parser above it keeps a stack, which makes deep nesting slow. Throws when
 * it is missing: what cannot be looked at is not let through.
 */
export const loadScriptFinder = async (): Promise<ScriptFinder> => {
  const { Tokenizer } = await import('htmlparser2');
  return (text) => {
    const kinds = new Set<ScriptKind>();
    if (isActiveUrl(text) || LINK.test(text)) kinds.add('url');
    if (!TAG.test(text)) return kinds;
    const tag = new TagReader(text, kinds);
    const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, tag);
    tokenizer.write(text);
    tokenizer.end();
    return kinds;
  };
};

/** Puts names and values together from what the tokenizer marks in the text. */
class TagReader {
  readonly #text: string;
  readonly #kinds: Set<ScriptKind>;
  #element = '';
  #attribute = '';
  #value = '';

  constructor(text: string, kinds: Set<ScriptKind>) {
    this.#text = text;
    this.#kinds = kinds;
  }

  onopentagname = (start: number, end: number): void => {
    const name = this.#text.slice(start, end).toLowerCase();
    this.#element = name.slice(name.indexOf(':') + 1);
    if (ELEMENTS.has(this.#element)) this.#kinds.add('element');
  };

  onattribname = (start: number, end: number): void => {
    this.#attribute = this.#text.slice(start, end).toLowerCase();
    this.#value = '';
  };

  onattribdata = (start: number, end: number): void => {
    if (this.#value.length < SCHEME_WINDOW) this.#value += this.#text.slice(start, end);
  };

  onattribentity = (codepoint: number): void => {
    if (this.#value.length < SCHEME_WINDOW) this.#value += String.fromCodePoint(codepoint);
  };

  onattribend = (): void => {
    judgeAttribute(this.#attribute, this.#value, this.#kinds);
    if (this.#element === 'meta' && /^\s*refresh\s*$/i.test(this.#value.slice(0, SCHEME_WINDOW))) {
      this.#kinds.add('refresh');
    }
  };

  oncdata = IGNORE;
  onclosetag = IGNORE;
  oncomment = IGNORE;
  ondeclaration = IGNORE;
  onend = IGNORE;
  onopentagend = IGNORE;
  onprocessinginstruction = IGNORE;
  onselfclosingtag = IGNORE;
  ontext = IGNORE;
  ontextentity = IGNORE;
}

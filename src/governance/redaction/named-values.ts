/**
 * Finds values whose name does not stand right before them: in a field of its own (`name: TOKEN`, then
 * `value: …`), in the column of a table, before a blank (`ENV TOKEN …`), or in a sentence.
 */
import { isFilePlace, isQuotedSecret } from './assigned-values.ts';
import { isMixed } from './mixed-value.ts';
import type { NameKind } from './secret-names.ts';
import { isPlaceholder } from './secret-values.ts';
import { NO_SPANS, type Span } from './span.ts';

type NameJudge = (name: string) => NameKind;

/** A value with its name, and what the name tells. */
interface NamedValue {
  /** The text from the name up to the value. */
  readonly before: string;
  readonly name: string;
  readonly value: string;
  readonly isQuoted: boolean;
  readonly kind: NameKind;
}
type IsSecret = (named: NamedValue) => boolean;

interface Form {
  /** Without one of these there is nothing to look for. */
  readonly hints: readonly string[];
  /** Its groups: what stands before the value, the name in that, and the value with its first quote. */
  readonly pattern: RegExp;
  readonly isSecret: IsSecret;
}

const NAME = String.raw`[\w.\u00c0-\uffff-]{2,64}`;
/** A value in quotes reaches to the same quote; its first character is the quote that opens it. */
const IN_QUOTES = `"(?:[^"\\\\\\n]|\\\\.){2,4096}|'(?:[^'\\\\\\n]|\\\\.|''){2,4096}`;
/** In markup a backslash escapes nothing. */
const IN_ATTRIBUTE = `"[^"\\n]{2,4096}|'[^'\\n]{2,4096}`;
/** A quote inside a word ends nothing. */
const INNER_QUOTE = `(?<=\\w)["'](?=\\w)`;

const isMixedSecret: IsSecret = ({ value }) => !isPlaceholder(value) && isMixed(value);
const isGivenSecret: IsSecret = ({ kind, name, value }) =>
  isQuotedSecret(name, kind, value) && !value.includes('{{');
/**
 * Tells whether the value of a field is a secret. Without quotes and in the same line it may be code: `{ name:
 * "x-api-key", value: apiKey }`.
 */
const isFieldSecret: IsSecret = (named) =>
  named.isQuoted || named.before.includes('\n') ? isGivenSecret(named) : isMixedSecret(named);

/** `passwd 1:4.13+dfsg1-1` in a list of packages. */
const PACKAGE_VERSION = /^(?:\d{1,4}:)?\d{1,5}\./;
/** A directive stands in no quotes but those of its value, and a file with its hash is none. */
const isDirectiveSecret: IsSecret = (named) =>
  isMixedSecret(named) && !PACKAGE_VERSION.test(named.value) && !isFilePlace(named.name, false);

const FORMS: readonly Form[] = [
  {
    // requirepass …, bindpw "…": a line of a name and a value, as in the configuration of many servers
    hints: ['pass', 'PASS', 'Pass', 'pw', 'auth', 'token', 'TOKEN', 'secret', 'SECRET'],
    pattern: new RegExp(
      `(^[ \\t]{0,64}(${NAME})[ \\t]{1,64})(${IN_QUOTES}|[^\\s"'=:#;]\\S{5,4095})(?=["']?(?:[ \\t]{1,64}(?:[#;][^\\r\\n]{0,1024})?)?\\r?$)`,
      'gm',
    ),
    isSecret: isDirectiveSecret,
  },
  {
    // <add key="password" value="…"/>
    hints: ['value="', "value='", 'Value="'],
    pattern: new RegExp(
      `(\\b(?:name|key|id)\\s?=\\s?["'](${NAME})["'][^<>\\n]{0,80}?\\bvalue\\s?=\\s?)(${IN_ATTRIBUTE})`,
      'gi',
    ),
    isSecret: isGivenSecret,
  },
  {
    // <Password value="…"/>
    hints: ['value="', "value='", 'Value="'],
    pattern: new RegExp(`(<(${NAME})\\s[^<>\\n]{0,80}?\\bvalue\\s?=\\s?)(${IN_ATTRIBUTE})`, 'gi'),
    isSecret: isGivenSecret,
  },
  {
    // <entry key="password">…</entry>, <string name="api_key">…</string>
    hints: ['<entry', '<string', '<property', '<param', '<setting'],
    pattern: new RegExp(
      `(<(?:entry|string|property|param|setting)\\s[^<>\\n]{0,80}?\\b(?:name|key|id)\\s?=\\s?["'](${NAME})["'][^<>\\n]{0,80}>)([^<>\\n]{2,4096})(?=</)`,
      'g',
    ),
    isSecret: isGivenSecret,
  },
  {
    // <key>Password</key> and <string>…</string> in the next line
    hints: ['<key>'],
    pattern: new RegExp(`(<key>(${NAME})</key>\\s{0,64}<string>)([^<>\\n]{2,4096})(?=</)`, 'g'),
    isSecret: isGivenSecret,
  },
  {
    // - name: TOKEN, and value: … in the next line; the same in JSON
    hints: ['value:', 'value":', "value':", 'Value:', 'Value":'],
    pattern: new RegExp(
      `((?:name|key|variable|header)["']?\\s{0,4}:\\s{0,4}["']?(${NAME})["']?,?\\s{0,64}["']?(?:Parameter)?value["']?\\s{0,4}:[ \\t]{0,4})(${IN_QUOTES}|[^\\s"'{}[\\]<>,](?:[^\\n"']|${INNER_QUOTE}){0,4095})`,
      'gi',
    ),
    isSecret: isFieldSecret,
  },
  {
    // ENV TOKEN …, setx TOKEN …, set -x TOKEN …
    hints: ['ENV ', 'setx ', 'setenv ', 'set -'],
    pattern: new RegExp(
      `((?<![\\w-])(?:ENV|setx(?: /M)?|setenv|set -[gUlx]{1,3})[ \\t]{1,4}(${NAME})[ \\t]{1,4})(${IN_QUOTES}|(?:[^\\s"'=]|${INNER_QUOTE}){2,4096})`,
      'g',
    ),
    isSecret: isGivenSecret,
  },
  {
    // variable "token" { default = "…" }
    hints: ['variable "'],
    pattern: new RegExp(
      `(variable\\s{1,4}"(${NAME})"\\s{0,4}\\{[^{}]{0,400}?\\bdefault\\s{0,8}=\\s{0,8})(${IN_QUOTES})`,
      'g',
    ),
    isSecret: isGivenSecret,
  },
];

/** A form that is searched from the mark between name and value, which is rare in other texts. */
interface MarkedForm {
  readonly marks: readonly string[];
  /** Matches directly after the mark. */
  readonly value: RegExp;
  /** What has to end at the mark; its group is the name. */
  readonly before: RegExp;
}

const MARKED: readonly MarkedForm[] = [
  {
    // | TOKEN | … |, in the first two columns and alone in its cell
    marks: ['|'],
    value: /[ \t]{0,40}[`*]{0,2}([^\s|`]{6,4096})(?=[`*]{0,2}[ \t]{0,80}(?:\||[\r\n]|$))/y,
    before: new RegExp(`(?:^|[\\r\\n])[ \\t]*\\|?[ \\t]*[\`*]{0,2}(${NAME})[\`*]{0,2}[ \\t]*$`),
  },
  {
    // The password is …, The token was changed to …
    marks: [' is', ' was', ' to', ' now'],
    value: /:?[ \t]["'`]?((?:[^\s"'`,;]|(?<=\w)["'`](?=\w)){6,4096})/y,
    before: new RegExp(`(?<![\\w.-])(${NAME})(?: is| was| has been)?(?: set| changed| now)?$`),
  },
];
/** Longer than a name with what may stand around it. */
const MAX_BEFORE = 160;

const endsSentence = /[.:!?)]+$/;

const atMarks = (text: string, form: MarkedForm, kindOf: NameJudge): readonly Span[] => {
  const spans: Span[] = [];
  for (const mark of form.marks) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      form.value.lastIndex = at + mark.length;
      const value = form.value.exec(text)?.[1];
      if (value === undefined || !isMixed(value.replace(endsSentence, ''))) continue;
      const name = form.before.exec(text.slice(Math.max(0, at - MAX_BEFORE), at))?.[1] ?? '';
      if (isPlaceholder(value) || kindOf(name) === 'plain') continue;
      const from = text.indexOf(value, at + mark.length);
      spans.push({ from, to: from + value.length });
    }
  }
  return spans;
};

const inForm = (text: string, form: Form, kindOf: NameJudge): readonly Span[] => {
  if (!form.hints.some((hint) => text.includes(hint))) return NO_SPANS;
  const spans: Span[] = [];
  for (const { 0: whole, 1: before = '', 2: name = '', 3: given = '', index } of text.matchAll(
    form.pattern,
  )) {
    const kind = kindOf(name);
    if (kind === 'plain') continue;
    const isQuoted = /^["']/.test(given);
    const value = isQuoted ? given.slice(1) : given;
    if (!form.isSecret({ before, name, value, isQuoted, kind })) continue;
    spans.push({ from: index + whole.length - value.length, to: index + whole.length });
  }
  return spans;
};

/** Finds them all; in no order. */
export const findNamedValues = (text: string, kindOf: NameJudge): readonly Span[] => {
  const spans: Span[] = [];
  for (const form of FORMS) spans.push(...inForm(text, form, kindOf));
  for (const form of MARKED) spans.push(...atMarks(text, form, kindOf));
  return spans.length === 0 ? NO_SPANS : spans;
};

/**
 * Finds values whose name does not stand right before them: in a field of its own (`name: TOKEN`, then
 * `value: …`), in the column of a table, in the head of a CSV text, before a blank (`ENV TOKEN …`), or in a
 * sentence.
 */
import { isQuotedSecret } from './assigned-values.ts';
import type { NameKind } from './secret-names.ts';
import { isPlaceholder, looksRandom } from './secret-values.ts';
import { NO_SPANS, type Span } from './span.ts';

type NameJudge = (name: string) => NameKind;

/** What stands before a value and the name in that, and what the name tells. */
interface Found {
  readonly before: string;
  readonly name: string;
  readonly value: string;
  readonly kind: NameKind;
}
type IsSecret = (found: Found) => boolean;

interface Form {
  /** Without one of these there is nothing to look for. */
  readonly hints: readonly string[];
  /** Its groups: what stands before the value, the name in that, and the value. */
  readonly pattern: RegExp;
  readonly isSecret: IsSecret;
}

const NAME = String.raw`[\w.\u00c0-\uffff-]{2,64}`;
/** Words in prose and tables are no secrets: there are letters and digits, mixed. */
const isMixed = (value: string): boolean =>
  looksRandom(value) ||
  (value.length >= 8 && /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value)) ||
  (value.length >= 6 && /[A-Za-z]/.test(value) && /[!@#$%^&*]/.test(value) && /\d/.test(value));

const whereMixed: IsSecret = ({ value }) => !isPlaceholder(value) && isMixed(value);
const whereGiven: IsSecret = ({ kind, name, value }) =>
  isQuotedSecret(name, kind, value) && !value.includes('{{');
/** Without quotes and in the same line it may be code: `{ name: "x-api-key", value: apiKey }`. */
const whereGivenInField: IsSecret = (found) =>
  /["']$|\n/.test(found.before) ? whereGiven(found) : whereMixed(found);

const FORMS: readonly Form[] = [
  {
    // <add key="password" value="…"/>
    hints: ['value="', "value='", 'Value="'],
    pattern: new RegExp(
      `(\\b(?:name|key|id)\\s?=\\s?["'](${NAME})["'][^<>\\n]{0,80}?\\bvalue\\s?=\\s?["'])([^"'\\n]{2,4096})`,
      'gi',
    ),
    isSecret: whereGiven,
  },
  {
    // - name: TOKEN, and value: … in the next line; the same in JSON
    hints: ['value:', 'value":', "value':", 'Value:', 'Value":'],
    pattern: new RegExp(
      `((?:name|key|variable|header)["']?\\s{0,4}:\\s{0,4}["']?(${NAME})["']?,?\\s{0,64}["']?(?:Parameter)?value["']?\\s{0,4}:[ \\t]{0,4}["']?)([^\\s"'{}[\\]<>,][^\\n"']{0,4095})`,
      'gi',
    ),
    isSecret: whereGivenInField,
  },
  {
    // ENV TOKEN …, setx TOKEN …, set -x TOKEN …
    hints: ['ENV ', 'setx ', 'setenv ', 'set -'],
    pattern: new RegExp(
      `((?<![\\w-])(?:ENV|setx(?: /M)?|setenv|set -[gUlx]{1,3})[ \\t]{1,4}(${NAME})[ \\t]{1,4}["']?)([^\\s"'=]{2,4096})`,
      'g',
    ),
    isSecret: whereGiven,
  },
  {
    // variable "token" { default = "…" }
    hints: ['variable "'],
    pattern: new RegExp(
      `(variable\\s{1,4}"(${NAME})"\\s{0,4}\\{[^{}]{0,400}?\\bdefault\\s{0,8}=\\s{0,8}")([^"\\n]{2,4096})`,
      'g',
    ),
    isSecret: whereGiven,
  },
];

/** Looked for from the marks between name and value, which are rare where the value is a secret. */
interface Marked {
  readonly marks: readonly string[];
  /** Right behind the mark. */
  readonly value: RegExp;
  /** What has to end at the mark; its group is the name. */
  readonly before: RegExp;
}

const MARKED: readonly Marked[] = [
  {
    // | TOKEN | … |, in the first two columns and alone in its cell
    marks: ['|'],
    value: /[ \t]{0,40}[`*]{0,2}([^\s|`]{6,4096})(?=[`*]{0,2}[ \t]{0,80}(?:\||[\r\n]|$))/y,
    before: new RegExp(`(?:^|[\\r\\n])[ \\t]*\\|?[ \\t]*[\`*]{0,2}(${NAME})[\`*]{0,2}[ \\t]*$`),
  },
  {
    // The password is …, The token was changed to …
    marks: [' is', ' was', ' to', ' now'],
    value: /:?[ \t]["'`]?([^\s"'`,;]{6,4096})/y,
    before: new RegExp(`(?<![\\w.-])(${NAME})(?: is| was| has been)?(?: set| changed| now)?$`),
  },
];
/** Longer than a name with what may stand around it. */
const MAX_BEFORE = 160;

const endsSentence = /[.:!?)]+$/;

const atMarks = (text: string, form: Marked, kindOf: NameJudge): readonly Span[] => {
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

const MAX_HEAD = 2_000;
const MAX_ROWS = 10_000;
const CELL = /"(?:[^"]|"")*"|[^,;\t"]*/y;

/** Splits a line at one separator; the cells keep their quotes. */
const cellsOf = (line: string, separator: string): readonly Span[] => {
  const cells: Span[] = [];
  for (let at = 0; at <= line.length; ) {
    CELL.lastIndex = at;
    const isQuoted = line.charAt(at) === '"' && CELL.test(line);
    const next = line.indexOf(separator, isQuoted ? CELL.lastIndex : at);
    const to = next < 0 ? line.length : next;
    cells.push({ from: at, to });
    if (next < 0) break;
    at = to + 1;
  }
  return cells;
};

const plainCell = (line: string, { from, to }: Span): string =>
  line.slice(from, to).trim().replace(/^"|"$/g, '');

/** Finds the columns of a text that begins with the names of its columns. */
const inColumns = (text: string, kindOf: NameJudge): readonly Span[] => {
  const end = text.indexOf('\n');
  const head = end < 0 || end > MAX_HEAD ? '' : text.slice(0, end).trimEnd();
  const separator = [',', ';', '\t'].find((mark) => head.includes(mark));
  if (separator === undefined || !/^[\w "'.,;\t\u00c0-\uffff-]+$/.test(head)) return NO_SPANS;
  const names = cellsOf(head, separator).map((cell) => plainCell(head, cell));
  const kinds = names.map((name) => (name.length <= 64 ? kindOf(name) : 'plain'));
  if (names.length < 2 || kinds.every((kind) => kind === 'plain')) return NO_SPANS;
  const spans: Span[] = [];
  let start = end + 1;
  for (let row = 0; row < MAX_ROWS && start < text.length; row++) {
    const next = text.indexOf('\n', start);
    const line = text.slice(start, next < 0 ? text.length : next).trimEnd();
    const cells = cellsOf(line, separator);
    if (cells.length !== names.length) break;
    for (const [at, cell] of cells.entries()) {
      const value = plainCell(line, cell);
      const kind = kinds[at] as NameKind;
      // The tokens of a text are words.
      const isSecret = kind === 'password' ? value !== '' && !isPlaceholder(value) : isMixed(value);
      if (kind !== 'plain' && isSecret) {
        spans.push({ from: start + cell.from, to: start + cell.to });
      }
    }
    start += (next < 0 ? line.length : next - start) + 1;
  }
  return spans;
};

const inForm = (text: string, form: Form, kindOf: NameJudge): readonly Span[] => {
  if (!form.hints.some((hint) => text.includes(hint))) return NO_SPANS;
  const spans: Span[] = [];
  for (const { 0: whole, 1: before = '', 2: name = '', 3: value = '', index } of text.matchAll(
    form.pattern,
  )) {
    const kind = kindOf(name);
    if (kind === 'plain' || !form.isSecret({ before, name, value, kind })) continue;
    spans.push({ from: index + before.length, to: index + whole.length });
  }
  return spans;
};

/** Finds them all; in no order. */
export const findNamedValues = (text: string, kindOf: NameJudge): readonly Span[] => {
  const spans = [...inColumns(text, kindOf)];
  for (const form of FORMS) spans.push(...inForm(text, form, kindOf));
  for (const form of MARKED) spans.push(...atMarks(text, form, kindOf));
  return spans.length === 0 ? NO_SPANS : spans;
};

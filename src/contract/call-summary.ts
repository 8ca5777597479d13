/**
 * One line that says what a call is about, for lists: its action, what it touches and its input. Made
 * from redacted data, bounded, with every character visible that could hide something.
 */
import type { AuditRow } from './audit.ts';

/** What the line is made of. The input is redacted already. */
export interface SummaryFacts {
  readonly tool: string;
  readonly action: string;
  readonly targets: readonly string[];
  readonly input: unknown;
}

const MAX_SUMMARY = 200;
const MAX_VALUE = 80;
const MAX_FIELDS = 6;
const MAX_TARGETS = 2;

/** Fields that say what happens stand before the others. */
const TELLING =
  /^(?:command|cmd|program|args|argv|script|code|sql|query|expression|statement|operation|action|path|file|url|to|from)$/i;

/** Controls, format characters, odd spaces and line separators. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string => {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = Number(character.codePointAt(0)).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
};

/** Tells whether a short text is of characters of ASCII that can be seen, as nearly all are. */
const isPlain = (text: string, max: number): boolean => {
  if (text.length > max) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
};

/** Cuts before it marks: a long text costs no more than a short one. */
const visible = (text: string, max: number): string => {
  if (isPlain(text, max)) return text;
  const head = text.slice(0, max);
  const marked = head.replace(HIDDEN, escaped).slice(0, max);
  return marked.length < head.length || text.length > max ? `${marked}…` : marked;
};

const shownValue = (value: unknown): string => {
  if (typeof value === 'string') return visible(value, MAX_VALUE);
  if (Array.isArray(value)) {
    const items = value.slice(0, 3).map((item) => (isScalar(item) ? shownValue(item) : '…'));
    return `[${items.join(', ')}${value.length > 3 ? `, … ${value.length} items` : ''}]`;
  }
  return isScalar(value) ? String(value) : '{…}';
};

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const fieldsText = (input: Readonly<Record<string, unknown>>): string => {
  const telling: string[] = [];
  const others: string[] = [];
  let fields = 0;
  for (const name of Object.keys(input)) {
    const value = input[name];
    if (value === undefined) continue;
    fields += 1;
    const list = TELLING.test(name) ? telling : others;
    if (list.length < MAX_FIELDS) list.push(`${visible(name, 40)}: ${shownValue(value)}`);
  }
  const shown = [...telling, ...others].slice(0, MAX_FIELDS);
  const left = fields - shown.length;
  if (left > 0) shown.push(`and ${left} more`);
  return shown.join(', ');
};

const inputText = (input: unknown): string => {
  if (input === undefined) return '';
  if (isScalar(input) || Array.isArray(input)) return shownValue(input);
  return fieldsText(input as Readonly<Record<string, unknown>>);
};

const targetText = (targets: readonly string[]): string => {
  if (targets.length === 0) return '';
  const shown = targets.slice(0, MAX_TARGETS).map((target) => visible(target, MAX_VALUE));
  const left = targets.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(', ');
};

export const callSummary = ({ tool, action, targets, input }: SummaryFacts): string => {
  const verb = action === tool ? '' : visible(action, 40);
  const parts = [verb, targetText(targets), inputText(input)].filter((part) => part !== '');
  const text = parts.join(' · ');
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1)}…` : text;
};

/**
 * Summarizes the call of an audit row. Rows of calls that only read hold just the input; the line
 * is made from it.
 */
export const summaryOfRow = ({ tool, detail }: Pick<AuditRow, 'tool' | 'detail'>): string => {
  const { summary, input } = detail;
  if (typeof summary === 'string') return visible(summary, MAX_SUMMARY);
  return callSummary({ tool, action: tool, targets: [], input });
};

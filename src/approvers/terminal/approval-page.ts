/**
 * What a person reads before saying yes: the exact call, with nothing redacted, nothing invisible,
 * and every cut stated with what it hides.
 */
import type { ApprovalRequest } from '../../contract/approver.ts';
import { visibleItem, visibleLines } from '../../kit/text/visible-text.ts';
import { flowQuestion } from './flow-question.ts';
import { childrenOf, shownScalar, wrapLine } from './shown-value.ts';

interface PageOptions {
  readonly now: number;
  /** Columns of the terminal. */
  readonly width: number;
  /** Shows huge fields whole. */
  readonly full: boolean;
}

export interface ApprovalPage {
  readonly lines: readonly string[];
  /** Characters that the page does not show. */
  readonly hidden: number;
}

export const LABEL = 10;
const HEAD_LINES = 24;
const TAIL_LINES = 6;
/** Longer fields are cut in the middle: a hidden end would be the place to hide something. */
const MAX_FIELD_LINES = HEAD_LINES + TAIL_LINES + 2;

export const TIERS: Readonly<Record<ApprovalRequest['tier'], string>> = {
  read_only: 'only reads',
  write: 'changes files or data',
  execute: 'runs programs',
  external_api: 'talks to an outside service',
};

const countOf = (text: string): string => text.length.toLocaleString('en-US');

const inputLines = (name: string, value: unknown): readonly string[] => {
  if (typeof value === 'string' && value.includes('\n')) {
    const lines = visibleLines(value);
    const size = `${value.split('\n').length} lines, ${countOf(value)} characters`;
    return [`${name}: text of ${size}`, ...lines.map((line) => `  │ ${line}`)];
  }
  const children = childrenOf(value);
  if (children.length === 0) return [`${name}: ${shownScalar(value)}`];
  const below = children.flatMap(([key, item]) => inputLines(key, item));
  return [`${name}:`, ...below.map((line) => `  ${line}`)];
};

/** Matches what a page puts before a line: indentation, the bar of a text, the mark of a broken line. */
const LEAD = /^ *(?:│ )?(?:↪ )?/;

/** Matches padding, which a page writes as its count. */
const COUNTED = /⟨(\d+) (?:spaces?|tabs?|spaces and tabs|blank lines[^⟩]*)⟩/g;

/** Counts the characters of lines as they were sent: without leads, padding in full. */
export const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => {
    const text = line.replace(LEAD, '');
    const padding = [...text.matchAll(COUNTED)];
    const more = padding.reduce((all, [mark, count]) => all + Number(count) - mark.length, 0);
    return sum + text.length + more;
  }, 0);

/** Cuts the lines of one field in the middle when there are too many. */
const cut = (lines: readonly string[], full: boolean): ApprovalPage => {
  if (full || lines.length <= MAX_FIELD_LINES) return { lines, hidden: 0 };
  const middle = lines.slice(HEAD_LINES, -TAIL_LINES);
  const hidden = sizeOf(middle);
  const note = `⟨ ${middle.length} lines, ${hidden.toLocaleString('en-US')} characters are not shown here: v shows all ⟩`;
  return { lines: [...lines.slice(0, HEAD_LINES), note, ...lines.slice(-TAIL_LINES)], hidden };
};

/** Puts a label before lines that are safe to show already. */
const labelled = (label: string, lines: readonly string[], width: number): readonly string[] =>
  lines
    .flatMap((line) => wrapLine(line, width - LABEL - 2))
    .map((line, at) => `  ${(at === 0 ? label : '').padEnd(LABEL)}${line}`);

export const money = (dollars: number): string => (dollars > 0 ? `$${dollars}` : 'free');

export const span = (ms: number): string => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
};

/** Shows one item a line: a line break inside an item must not make two of it. */
export const listed = (items: readonly string[], none: string): readonly string[] =>
  items.length === 0 ? [none] : items.map(visibleItem);

const EVERY_TIME = 'each time anew: the answer cannot be remembered';
const REMEMBERABLE = 'once, unless you say that it goes on';

type Field = readonly [label: string, lines: readonly string[]];

const fieldsOf = (request: ApprovalRequest, now: number): readonly Field[] => {
  const { caller, estimatedTime } = request;
  const time = estimatedTime === undefined ? 'unknown' : `about ${span(estimatedTime)}`;
  const text = (label: string, value: string): Field => [label, visibleLines(value)];
  return [
    text('tool', `${request.tool} ${request.version}`),
    text('tier', `${request.tier} (${TIERS[request.tier]})`),
    text('action', request.action === '' ? 'not named' : request.action),
    ['touches', listed(request.targets, 'nothing that its input names')],
    text('what', request.description),
    text('why asked', request.reason),
    ['rule', [visibleItem(request.rule)]],
    text('asked', request.rememberable ? REMEMBERABLE : EVERY_TIME),
    text('caller', `user ${caller.userId}, agent ${caller.agentId}, session ${caller.sessionId}`),
    text('cost', money(request.estimatedCost)),
    text('time', time),
    ['effects', listed(request.effects, 'none declared')],
    text('expires', `in ${span(request.expiresAt - now)}`),
  ];
};

/** Fields that say what will happen come before those that may only fill the page. */
const TELLING =
  /^(?:command|cmd|program|args|argv|script|code|sql|query|statement|operation|action|path|file|url|to|from)$/i;

export const inputFields = (input: unknown): readonly (readonly [string, unknown])[] => {
  const children = childrenOf(input);
  if (children.length === 0) return [['value', input]];
  const telling = children.filter(([name]) => TELLING.test(name));
  return [...telling, ...children.filter(([name]) => !TELLING.test(name))];
};

/** Writes the lines of one input field, broken before the terminal breaks them. */
export const fieldLines = (name: string, value: unknown, width: number): readonly string[] =>
  inputLines(name, value).flatMap((line) => {
    const lead = line.slice(0, line.length - line.replace(/^ *(?:│ )?/, '').length);
    return wrapLine(line.slice(lead.length), width - lead.length - 4).map((piece) => lead + piece);
  });

/** Pages longer than this repeat at their end what they are about. */
const MAX_LINES_AT_A_GLANCE = 20;
const MAX_SHORT = 240;

/** Cuts the middle out of a line and says how much that was: both ends stay in sight. */
export const clip = (line: string, width: number): string => {
  if (line.length <= width) return line;
  const room = Math.max(8, width - 34);
  const head = Math.ceil(room * 0.7);
  const tail = room - head;
  const hidden = (line.length - head - tail).toLocaleString('en-US');
  return `${line.slice(0, head)}⟨ ${hidden} characters ⟩${line.slice(line.length - tail)}`;
};

/** Puts the call in one line: tool, action, what it touches and the field that says what happens. */
export const inShort = ({ tool, action, targets, input }: ApprovalRequest): string => {
  const [telling] = inputFields(input);
  const more = targets.length > 1 ? ` and ${targets.length - 1} more` : '';
  const touches = targets.length > 0 ? ` → ${visibleItem(String(targets[0]))}${more}` : '';
  const field = telling ? ` · ${clip(inputLines(...telling).join(' '), 100)}` : '';
  return visibleItem(`${tool} ${action === tool ? '' : action}`.trim()) + touches + field;
};

const ending = (request: ApprovalRequest, width: number, lines: number): readonly string[] =>
  lines > MAX_LINES_AT_A_GLANCE
    ? labelled('in short', [clip(inShort(request), MAX_SHORT)], width)
    : [];

/** Builds the page of a request. With `full`, nothing is left out. */
export const approvalPage = (request: ApprovalRequest, options: PageOptions): ApprovalPage => {
  const width = Math.max(40, options.width);
  const top = fieldsOf(request, options.now).map(([label, lines]) =>
    cut(labelled(label, lines, width), options.full),
  );
  const input = inputFields(request.input).map(([name, value]) =>
    cut(fieldLines(name, value, width), options.full),
  );
  const fields = top.flatMap(({ lines }) => lines);
  const given = ['  input', ...input.flatMap(({ lines }) => lines.map((line) => `    ${line}`))];
  // What a flow asks stands in the input; the tool that carries the question says nothing to a person.
  const body = flowQuestion(request) ? [...given, ...fields] : [...fields, ...given];
  return {
    lines: [...body, ...ending(request, width, body.length)],
    hidden: [...top, ...input].reduce((sum, { hidden }) => sum + hidden, 0),
  };
};

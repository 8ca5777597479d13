/**
 * What a person reads before saying yes: the exact call, with nothing redacted, nothing invisible,
 * and every cut stated with what it hides.
 */
import type { ApprovalRequest } from '../../contract/approver.ts';
import { visibleLines, visibleText } from './visible-text.ts';

export interface PageOptions {
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

const LABEL = 10;
const HEAD_LINES = 24;
const TAIL_LINES = 6;
/** Fields beyond this are cut in the middle: an end that is hidden would be the place to hide in. */
const LONG = HEAD_LINES + TAIL_LINES + 2;

const TIERS: Readonly<Record<ApprovalRequest['tier'], string>> = {
  read_only: 'only reads',
  write: 'changes files or data',
  execute: 'runs programs',
  external_api: 'talks to an outside service',
};

const countOf = (text: string): string => text.length.toLocaleString('en-US');

/** Anything but ASCII counts as two columns, so that no line is ever wrapped by the terminal itself. */
const columnsOf = (character: string): number => (character.charCodeAt(0) < 0x80 ? 1 : 2);

/** Breaks a line; the rest starts with a mark, so that it cannot pose as a line of its own. */
const wrap = (line: string, width: number): readonly string[] => {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of line) {
    const columns = columnsOf(character);
    if (used + columns > width) {
      pieces.push(piece);
      piece = '↪ ';
      used = 3;
    }
    piece += character;
    used += columns;
  }
  return [...pieces, piece];
};

/** A string on one line between quotes; a quote inside is escaped, so that it ends where it ends. */
const quoted = (text: string): string =>
  `"${visibleText(text)
    .replace(/(\\*)"/g, '$1$1\\"')
    .replace(/\\+$/, '$&$&')}"`;

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const keyOf = (key: string): string => (/^[A-Za-z_][\w-]*$/.test(key) ? key : quoted(key));

/** The children of an object or a list, as name and value; nothing for anything else. */
const childrenOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((item, at) => [`- ${at + 1}`, item] as const);
  return isPlainObject(value)
    ? Object.entries(value).map(([key, item]) => [keyOf(key), item] as const)
    : [];
};

const scalar = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return '[]';
  return isPlainObject(value) ? '{}' : String(value);
};

const inputLines = (name: string, value: unknown): readonly string[] => {
  if (typeof value === 'string' && value.includes('\n')) {
    const lines = visibleLines(value);
    const size = `${value.split('\n').length} lines, ${countOf(value)} characters`;
    return [`${name}: text of ${size}`, ...lines.map((line) => `  │ ${line}`)];
  }
  const children = childrenOf(value);
  if (children.length === 0) return [`${name}: ${scalar(value)}`];
  const below = children.flatMap(([key, item]) => inputLines(key, item));
  return [`${name}:`, ...below.map((line) => `  ${line}`)];
};

/** The lines of one field, cut in the middle when there are too many. */
const cut = (lines: readonly string[], full: boolean): ApprovalPage => {
  if (full || lines.length <= LONG) return { lines, hidden: 0 };
  const middle = lines.slice(HEAD_LINES, -TAIL_LINES);
  const hidden = middle.reduce((sum, line) => sum + line.trim().length, 0);
  const note = `⟨ ${middle.length} lines, ${hidden.toLocaleString('en-US')} characters are not shown here: v shows all ⟩`;
  return { lines: [...lines.slice(0, HEAD_LINES), note, ...lines.slice(-TAIL_LINES)], hidden };
};

const field = (label: string, text: string, width: number): readonly string[] =>
  visibleLines(text)
    .flatMap((line) => wrap(line, width - LABEL - 2))
    .map((line, at) => `  ${(at === 0 ? label : '').padEnd(LABEL)}${line}`);

const money = (dollars: number): string => (dollars > 0 ? `$${dollars}` : 'free');

const span = (ms: number): string => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
};

const fieldsOf = (
  request: ApprovalRequest,
  now: number,
): readonly (readonly [string, string])[] => {
  const { caller } = request;
  const time =
    request.estimatedTime === undefined ? 'unknown' : `about ${span(request.estimatedTime)}`;
  return [
    ['tool', `${request.tool} ${request.version}`],
    ['tier', `${request.tier} (${TIERS[request.tier]})`],
    ['action', request.action === '' ? 'not named' : request.action],
    ['what', request.description],
    ['why asked', request.reason],
    ['caller', `user ${caller.userId}, agent ${caller.agentId}, session ${caller.sessionId}`],
    ['cost', money(request.estimatedCost)],
    ['time', time],
    ['effects', request.effects.length === 0 ? 'none declared' : request.effects.join('\n')],
    ['expires', `in ${span(request.expiresAt - now)}`],
  ];
};

/** The page of a request. With `full`, nothing is left out. */
export const approvalPage = (request: ApprovalRequest, options: PageOptions): ApprovalPage => {
  const width = Math.max(40, options.width);
  const top = fieldsOf(request, options.now).map(([label, text]) =>
    cut(field(label, text, width), options.full),
  );
  const children = childrenOf(request.input);
  const entries = children.length > 0 ? children : [['value', request.input] as const];
  const input = entries.map(([name, value]) => {
    const lines = inputLines(name, value).flatMap((line) => {
      const lead = /^ *(?:│ )?/.exec(line)?.[0] ?? '';
      return wrap(line.slice(lead.length), width - lead.length - 4).map((piece) => lead + piece);
    });
    return cut(lines, options.full);
  });
  return {
    lines: [
      ...top.flatMap(({ lines }) => lines),
      '  input',
      ...input.flatMap(({ lines }) => lines.map((line) => `    ${line}`)),
    ],
    hidden: [...top, ...input].reduce((sum, { hidden }) => sum + hidden, 0),
  };
};

/**
 * The page above the prompt of a terminal. It fits the screen whatever the call holds: what matters
 * comes first and last, and what is left out is counted. `v` shows all of it.
 */
import type { ApprovalRequest } from '../../contract/approver.ts';
import { visibleItem } from '../../kit/text/visible-text.ts';
import {
  type ApprovalPage,
  clip,
  fieldLines,
  inputFields,
  inShort,
  LABEL,
  listed,
  money,
  sizeOf,
  span,
  TIERS,
} from './approval-page.ts';

interface PromptPageOptions {
  readonly now: number;
  /** Size of the terminal. */
  readonly width: number;
  readonly rows: number;
}

/** Blank lines, the heading, the note about what is hidden, and the prompt in three lines. */
const ROWS_AROUND = 8;
const MIN_ROWS = 12;
const MAX_TARGETS = 3;
const MAX_FIELD_ROWS = 5;

/** A part of the page, and how many characters of it are not shown. */
interface Part {
  readonly lines: readonly string[];
  readonly hidden: number;
  /** Input fields of which nothing is shown. */
  readonly fields?: number;
}

const count = (value: number, one: string): string =>
  `${value.toLocaleString('en-US')} ${one}${value === 1 ? '' : 's'}`;

/** Keeps the first lines and the last one. */
const shorten = (lines: readonly string[], max: number): Part => {
  if (lines.length <= max) return { lines, hidden: 0 };
  if (max <= 1) {
    const [first = ''] = lines;
    const hidden = sizeOf(lines.slice(1));
    return { lines: [`${first} ⟨ and ${count(hidden, 'character')} ⟩`], hidden };
  }
  const middle = lines.slice(max - 2, -1);
  const hidden = sizeOf(middle);
  const note = `⟨ ${count(middle.length, 'line')}, ${count(hidden, 'character')} are not shown here ⟩`;
  return { lines: [...lines.slice(0, max - 2), note, ...lines.slice(-1)].slice(-max), hidden };
};

const row = (label: string, text: string, width: number): Part => {
  const room = width - LABEL - 2;
  const hidden = Math.max(0, text.length - room);
  return { lines: [`  ${label.padEnd(LABEL)}${clip(text, room)}`], hidden };
};

const touches = ({ targets }: ApprovalRequest, width: number): Part => {
  const items = listed(targets, 'nothing that its input names');
  const { lines, hidden } = shorten(items, MAX_TARGETS);
  const rows = lines.map((line, at) => row(at === 0 ? 'touches' : '', line, width));
  return {
    lines: rows.flatMap((part) => part.lines),
    hidden: rows.reduce((sum, part) => sum + part.hidden, hidden),
  };
};

/** Shows as many fields as fit, the telling ones first, and the very last one. */
const inputPart = (input: unknown, width: number, max: number): Part => {
  const fields = inputFields(input).map(([name, value]) => fieldLines(name, value, width));
  const all = fields.flat();
  if (all.length <= max) return { lines: all, hidden: 0 };
  const shown: string[] = [];
  let hidden = 0;
  let next = 0;
  const last = fields.length > 1 ? shorten(fields.at(-1) ?? [], 1) : { lines: [], hidden: 0 };
  const room = max - 1 - last.lines.length;
  const before = fields.slice(0, fields.length > 1 ? -1 : fields.length);
  for (const lines of before) {
    const left = room - shown.length;
    if (left <= 0) break;
    const waiting = before.length - next - 1;
    const part = shorten(lines, waiting === 0 ? left : Math.min(left, MAX_FIELD_ROWS));
    shown.push(...part.lines);
    hidden += part.hidden;
    next += 1;
  }
  const left = before.slice(next);
  hidden += sizeOf(left.flat()) + last.hidden;
  const note = `⟨ ${count(left.length, 'field')}, ${count(hidden, 'character')} of the input are not shown: v shows all ⟩`;
  return { lines: [...shown, note, ...last.lines], hidden, fields: left.length };
};

/** Says who asks, why and what it costs, the most important first. */
const details = (request: ApprovalRequest, { now, width }: PromptPageOptions): readonly Part[] => {
  const { caller, estimatedTime } = request;
  const time = estimatedTime === undefined ? 'unknown' : `about ${span(estimatedTime)}`;
  const who = `user ${caller.userId}, agent ${caller.agentId}, session ${caller.sessionId}`;
  const asked = request.rememberable
    ? 'once, unless you say that it goes on'
    : 'each time anew: the answer cannot be remembered';
  const cost = `${money(request.estimatedCost)} · time ${time} · expires in ${span(request.expiresAt - now)}`;
  const rows: readonly (readonly [string, string])[] = [
    ['why asked', `${request.reason} (rule ${request.rule})`],
    ['caller', who],
    ['cost', cost],
    ['asked', asked],
    ['effects', request.effects.length === 0 ? 'none declared' : request.effects.join('; ')],
    ['what', request.description],
  ];
  return rows.map(([label, text]) => row(label, visibleItem(text), width));
};

const isShort = (line: string, width: number): string => clip(line, width - 4);

/** Fits the page into `rows`, and never hides the tool, the action or the targets. */
export const promptPage = (request: ApprovalRequest, options: PromptPageOptions): ApprovalPage => {
  const width = Math.max(40, options.width);
  const budget = Math.max(MIN_ROWS, options.rows - ROWS_AROUND);
  const { tier, tool, version, action } = request;
  const top = [
    row('tool', visibleItem(`${tool} ${version}`), width),
    row('action', visibleItem(`${action || 'not named'} · ${tier} (${TIERS[tier]})`), width),
    touches(request, width),
  ];
  const used = top.reduce((sum, { lines }) => sum + lines.length, 0);
  const about = details(request, { ...options, width });
  // The input comes before the details: of them at least three stay, with the last line.
  const input = inputPart(request.input, width, Math.max(3, budget - used - 5));
  const room = Math.max(3, budget - used - input.lines.length - 2);
  const shown = about.slice(0, room);
  const left = about.slice(shown.length);
  const hidden = [...top, input, ...shown, ...left.map(({ lines }) => ({ hidden: sizeOf(lines) }))];
  const last = row('in short', visibleItem(inShort(request)), width).lines;
  return {
    lines: [
      ...top.flatMap(({ lines }) => lines),
      '  input',
      ...input.lines.map((line) => `    ${isShort(line, width)}`),
      ...shown.flatMap(({ lines }) => lines),
      ...last,
    ],
    hidden: hidden.reduce((sum, part) => sum + part.hidden, 0),
  };
};

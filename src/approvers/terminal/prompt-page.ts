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
import { type FlowQuestion, flowQuestion } from './flow-question.ts';
import { wrapLine } from './shown-value.ts';

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
/** A text takes no more lines than this, however many are free. */
const MAX_ROW_LINES = 6;

/** Which of the details of a call hold for the question of a flow, too. */
const QUESTION_DETAILS: ReadonlySet<string> = new Set(['caller', 'cost']);

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

/** A text of the page that is broken into lines where the page has room, and cut where it has none. */
interface Row {
  readonly label: string;
  readonly text: string;
}

/** Breaks a text into at most so many lines; what is beyond is cut out of the last one. */
const broken = ({ label, text }: Row, width: number, max: number): Part => {
  const room = width - LABEL - 2;
  const pieces = wrapLine(text, room);
  if (max <= 1 || pieces.length === 1) return row(label, text, width);
  const rest = pieces.slice(max - 1).map((piece) => piece.slice(2));
  const isWhole = rest.length <= 1;
  const last = row('', `↪ ${rest.join('')}`, width);
  const shown = isWhole ? pieces : pieces.slice(0, max - 1);
  const lines = shown.map((piece, at) => `  ${(at === 0 ? label : '').padEnd(LABEL)}${piece}`);
  return isWhole ? { lines, hidden: 0 } : { lines: [...lines, ...last.lines], hidden: last.hidden };
};

/** Gives each row a line, and the lines that are left to those that need more, in their order. */
const fitted = (
  rows: readonly Row[],
  { width, spare }: { readonly width: number; readonly spare: number },
): readonly Part[] => {
  let left = Math.max(0, spare);
  return rows.map((each) => {
    const part = broken(each, width, Math.min(MAX_ROW_LINES, left + 1));
    left -= part.lines.length - 1;
    return part;
  });
};

/** Lists what the call touches, and how many characters of the list are left out. */
const touches = ({
  targets,
}: ApprovalRequest): { readonly rows: readonly Row[]; hidden: number } => {
  const { lines, hidden } = shorten(listed(targets, 'nothing that its input names'), MAX_TARGETS);
  return { rows: lines.map((text, at) => ({ label: at === 0 ? 'touches' : '', text })), hidden };
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
const details = (
  request: ApprovalRequest,
  { now }: Pick<PromptPageOptions, 'now'>,
): readonly Row[] => {
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
  return rows.map(([label, text]) => ({ label, text: visibleItem(text) }));
};

const isShort = (line: string, width: number): string => clip(line, width - 4);

/** What stands on a page, from above. */
interface Content {
  readonly head: readonly Part[];
  readonly touched: ReturnType<typeof touches>;
  /** What the call is given, below its label; nothing to show where there is no label. */
  readonly given: unknown;
  readonly givenLabel: string | undefined;
  readonly about: readonly Row[];
  readonly last: readonly string[];
}

const callContent = (
  request: ApprovalRequest,
  options: PromptPageOptions,
  width: number,
): Content => {
  const { tier, tool, version, action } = request;
  return {
    head: [
      row('tool', visibleItem(`${tool} ${version}`), width),
      row('action', visibleItem(`${action || 'not named'} · ${tier} (${TIERS[tier]})`), width),
    ],
    touched: touches(request),
    given: request.input,
    givenLabel: 'input',
    about: details(request, options),
    last: row('in short', visibleItem(inShort(request)), width).lines,
  };
};

/** Shows what a flow asks, and of which run; the tool that carries the question says nothing to a person. */
const questionContent = (
  { rows, details: given }: FlowQuestion,
  request: ApprovalRequest,
  options: PromptPageOptions,
): Content => {
  const about = details(request, options).filter(({ label }) => QUESTION_DETAILS.has(label));
  const givenLabel = given === undefined ? undefined : 'details';
  return { head: [], touched: { rows, hidden: 0 }, given, givenLabel, about, last: [] };
};

/** Fits the page into `rows`, and never hides the tool, the action or the targets. */
export const promptPage = (request: ApprovalRequest, options: PromptPageOptions): ApprovalPage => {
  const width = Math.max(40, options.width);
  const budget = Math.max(MIN_ROWS, options.rows - ROWS_AROUND);
  const question = flowQuestion(request);
  const content = question
    ? questionContent(question, request, options)
    : callContent(request, options, width);
  const { head, touched, about, given, givenLabel, last } = content;
  const used = head.length + touched.rows.length;
  // The input comes before the details: of them at least three stay, with the last line.
  const input =
    givenLabel === undefined
      ? { lines: [], hidden: 0 }
      : inputPart(given, width, Math.max(3, budget - used - 5));
  const room = Math.max(3, budget - used - input.lines.length - 2);
  const rows = [...touched.rows, ...about.slice(0, room)];
  // Only what nothing else needs goes to long texts: none of them takes a line from the input.
  const spare = budget - head.length - rows.length - input.lines.length - 2;
  const parts = fitted(rows, { width, spare });
  const targets = parts.slice(0, touched.rows.length);
  const shown = parts.slice(touched.rows.length);
  const left = about.slice(room).map(({ text }) => ({ hidden: text.length }));
  return {
    lines: [
      ...[...head, ...targets].flatMap(({ lines }) => lines),
      ...(givenLabel === undefined ? [] : [`  ${givenLabel}`]),
      ...input.lines.map((line) => `    ${isShort(line, width)}`),
      ...shown.flatMap(({ lines }) => lines),
      ...last,
    ],
    hidden: [touched, ...head, ...parts, input, ...left].reduce(
      (sum, part) => sum + part.hidden,
      0,
    ),
  };
};

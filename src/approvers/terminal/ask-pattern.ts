/**
 * "Always allow this pattern": proposes a CEL condition, lets the person change it, says what it allows, asks
 * again.
 */
import type { Decision } from '../../contract/approver.ts';
import { HIDDEN, visibleItem, visibleJson } from '../../kit/text/visible-text.ts';
import { agrees, ask, type Dialog, say, sayIndented } from './terminal-dialog.ts';

/** A longer condition would not be read, so nobody should agree to it. */
const MAX_CONDITION = 1500;

const NAME = /^[A-Za-z_]\w*$/;
/** Words that CEL does not accept as the name of a field. */
const RESERVED = new Set(['in', 'true', 'false', 'null']);

const LONE_SURROGATE = /\p{Cs}/u;

const escapeOf = (character: string): string => {
  const code = Number(character.codePointAt(0));
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** Escapes what the screen would hide, so that the person sees what the condition compares with. */
const textLiteral = (text: string): string | undefined =>
  LONE_SURROGATE.test(text) ? undefined : JSON.stringify(text).replace(HIDDEN, escapeOf);

/** Writes a number for CEL. Whole numbers beyond what a double holds exactly must not become CEL integers. */
const numberLiteral = (value: number): string => {
  const text = String(value);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e')
    ? `${text}.0`
    : text;
};

const literalOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'number' && Number.isFinite(value)) return numberLiteral(value);
  return typeof value === 'boolean' || value === null ? String(value) : undefined;
};

const fieldOf = (path: string, key: string): string | undefined => {
  if (NAME.test(key) && !RESERVED.has(key)) return `${path}.${key}`;
  const name = textLiteral(key);
  return name === undefined ? undefined : `${path}[${name}]`;
};

type Conditions = (string | undefined)[];

/** Compares lists and objects by their size and part by part: CEL has no literal for mixed ones. */
const partsOf = (path: string | undefined, value: unknown): Conditions => {
  if (path === undefined) return [undefined];
  if (typeof value !== 'object' || value === null) {
    const literal = literalOf(value);
    return [literal === undefined ? undefined : `${path} == ${literal}`];
  }
  const children: Conditions[] = Array.isArray(value)
    ? value.map((item, at) => partsOf(`${path}[${at}]`, item))
    : Object.entries(value).map(([key, item]) => partsOf(fieldOf(path, key), item));
  return [...children.flat(), `size(${path}) == ${children.length}`];
};

/**
 * Writes a condition that holds for this one input and no other; a person has to widen it by hand.
 * `undefined` when the input cannot be written so that a person can check it.
 */
export const proposeCondition = (input: unknown): string | undefined => {
  const parts = partsOf('input', input);
  if (parts.includes(undefined)) return undefined;
  const condition = parts.join(' && ');
  return condition.length > MAX_CONDITION ? undefined : condition;
};

const MAX_TRIES = 3;

const propose = (dialog: Dialog, proposal: string | undefined): string => {
  if (proposal === undefined) {
    say(dialog, '  This input is too long or too odd to propose a condition for it.');
    return 'Type a condition; q or nothing = back';
  }
  say(dialog, '  Always allow this tool and action when (the proposal fits this very input only):');
  sayIndented(dialog, proposal);
  return 'Enter = take it; or type another condition; q = back';
};

/** Asks for a condition that can be used; `undefined` when the person gives none. */
const conditionOf = async (dialog: Dialog): Promise<string | undefined> => {
  const proposal = proposeCondition(dialog.request.input);
  const prompt = propose(dialog, proposal);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const line = (await ask(dialog, prompt))?.trim();
    if (line === undefined || line.toLowerCase() === 'q') return undefined;
    const condition = line === '' ? proposal : line;
    if (condition === undefined) return undefined;
    const fault = await dialog.options.checkCondition?.(condition);
    if (fault === undefined) return condition;
    sayIndented(dialog, visibleItem(fault));
  }
  return undefined;
};

const consequence = ({ request }: Dialog, condition: string): readonly string[] => {
  const { caller, tool, action } = request;
  const what = action === tool || action === '' ? tool : `${tool}, action ${action}`;
  return [
    `${visibleItem(what)}: runs without a question from now on`,
    visibleItem(`for user ${caller.userId} with agent ${caller.agentId}, in every session`),
    `whenever ${visibleJson(condition)}`,
    'What the condition does not mention may be anything.',
    'It lasts until the tool changes or you revoke it: toolcrib permissions revoke <id>',
  ];
};

/** Asks for a pattern to remember; `undefined` goes back to the question. */
export const askPattern = async (
  dialog: Dialog,
): Promise<Pick<Decision, 'answer' | 'remember'> | undefined> => {
  const condition = await conditionOf(dialog);
  if (condition === undefined) return undefined;
  say(dialog, '', '  This allows:');
  sayIndented(dialog, ...consequence(dialog, condition));
  if (!(await agrees(dialog, 'Run this call, and always allow that?'))) return undefined;
  return { answer: 'approve', remember: { scope: 'pattern', condition } };
};

/**
 * A CEL condition that holds for one input and no other: the start of "always allow this pattern".
 * Whoever wants more to be allowed has to widen it by hand.
 */
import { HIDDEN } from '../../kit/text/visible-text.ts';

/** Longer than this nobody reads it, and what nobody reads nobody should agree to. */
const LONGEST = 1500;

const NAME = /^[A-Za-z_]\w*$/;
/** Words that CEL does not take for the name of a field. */
const RESERVED = new Set(['in', 'true', 'false', 'null']);

const LONE_SURROGATE = /\p{Cs}/u;

const escapeOf = (character: string): string => {
  const code = Number(character.codePointAt(0));
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** What the screen would hide is escaped, so that the person sees what the condition compares with. */
const textLiteral = (text: string): string | undefined =>
  LONE_SURROGATE.test(text) ? undefined : JSON.stringify(text).replace(HIDDEN, escapeOf);

/** Whole numbers beyond what a double holds exactly must not become CEL integers. */
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

const fieldOf = (place: string, key: string): string | undefined => {
  if (NAME.test(key) && !RESERVED.has(key)) return `${place}.${key}`;
  const name = textLiteral(key);
  return name === undefined ? undefined : `${place}[${name}]`;
};

type Parts = (string | undefined)[];

/** Lists and objects are compared by their size and part by part: CEL has no literal for mixed ones. */
const partsOf = (place: string | undefined, value: unknown): Parts => {
  if (place === undefined) return [undefined];
  if (typeof value !== 'object' || value === null) {
    const literal = literalOf(value);
    return [literal === undefined ? undefined : `${place} == ${literal}`];
  }
  const children: Parts[] = Array.isArray(value)
    ? value.map((item, at) => partsOf(`${place}[${at}]`, item))
    : Object.entries(value).map(([key, item]) => partsOf(fieldOf(place, key), item));
  return [...children.flat(), `size(${place}) == ${children.length}`];
};

/** `undefined` when the input cannot be written down so that a person can check it. */
export const proposeCondition = (input: unknown): string | undefined => {
  const parts = partsOf('input', input);
  if (parts.includes(undefined)) return undefined;
  const condition = parts.join(' && ');
  return condition.length > LONGEST ? undefined : condition;
};

/** The text of one environment variable to the kind of value that its setting holds. */

import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import type { ShapeNode } from '../document/config-shape.ts';

export type ParsedSetting = { readonly value: unknown } | { readonly fault: string };

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const fromJson = (text: string): ParsedSetting => {
  try {
    return {
      value: JSON.parse(text, (key, value: unknown) => {
        if (isPrototypeKey(key)) throw new SyntaxError('prototype key');
        return value;
      }),
    };
  } catch {
    return { fault: 'starts like JSON but is none that can be used' };
  }
};

const fromWord = (text: string): ParsedSetting => {
  const value = WORDS.get(text.toLowerCase());
  return value === undefined ? { fault: 'expected true or false' } : { value };
};

const fromNumber = (text: string): ParsedSetting =>
  NUMBER.test(text) ? { value: Number(text) } : { fault: 'expected a number' };

const fromList = (text: string): ParsedSetting =>
  text.startsWith('[')
    ? fromJson(text)
    : {
        value: text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      };

/** A setting that allows several kinds: JSON for mappings, a number, a word for a switch, or text. */
const fromOneOf = (text: string, kinds: readonly ShapeNode[]): ParsedSetting => {
  if (text.startsWith('{')) return fromJson(text);
  if (kinds.some((kind) => kind.type === 'number') && NUMBER.test(text)) return fromNumber(text);
  const word = kinds.some((kind) => kind.type === 'boolean') ? fromWord(text) : undefined;
  return word && 'value' in word ? word : { value: text };
};

/** Checks the kind only; bounds and choices are the schema's to judge. */
export const parseSetting = (text: string, shape: ShapeNode): ParsedSetting => {
  const trimmed = text.trim();
  const kinds = shape.anyOf;
  if (kinds) return fromOneOf(trimmed, kinds);
  switch (shape.type) {
    case 'boolean':
      return fromWord(trimmed);
    case 'integer':
    case 'number':
      return fromNumber(trimmed);
    case 'array':
      return fromList(trimmed);
    default:
      return { value: shape.enum ? trimmed : text };
  }
};

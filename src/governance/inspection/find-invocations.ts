/** Finds the commands that an object of the input describes: text for a shell, or a program with its words. */
import { isText } from '../../kit/data/is-text.ts';
import { fieldKindOf } from './field-kind.ts';
import type { Invocation } from './judge-command.ts';
import type { Trail } from './violation.ts';

export interface FoundInvocation extends Invocation {
  readonly trail: Trail;
}

const words = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.some(isText) ? value.filter(isText) : undefined;

/**
 * Tells whether a name stands for several commands: `command: ['ls', '-l']` are the words of one,
 * `commands: [...]` are several.
 */
const several = (key: string): boolean => key.endsWith('s');

export const findInvocations = (
  object: Readonly<Record<string, unknown>>,
  trail: Trail,
): readonly FoundInvocation[] => {
  const invocations: FoundInvocation[] = [];
  const keys = Object.keys(object);
  const argsKey = keys.find((key) => fieldKindOf(key) === 'arguments');
  const args = (argsKey !== undefined && words(object[argsKey])) || [];
  for (const key of keys) {
    if (fieldKindOf(key) !== 'command') continue;
    const value = object[key];
    const list = words(value);
    const at = [...trail, key];
    if (isText(value)) invocations.push(...ofText(value, args, at));
    else if (list && several(key)) invocations.push(...list.map((text) => ({ text, trail: at })));
    else if (list) invocations.push({ words: [...list, ...args], trail: at });
  }
  if (invocations.length === 0 && argsKey !== undefined && args.length > 0)
    invocations.push({ words: args, trail: [...trail, argsKey] });
  return invocations;
};

/**
 * Reads a text as commands. With words beside it the text is a program, unless it holds blanks:
 * then it may be either.
 */
const ofText = (
  text: string,
  args: readonly string[],
  trail: Trail,
): readonly FoundInvocation[] => {
  if (args.length === 0) return [{ text, trail }];
  const direct = { words: [...text.trim().split(/\s+/), ...args], trail };
  return /\s/.test(text.trim()) ? [direct, { text, trail }] : [direct];
};

/**
 * Finds the variables that a shell string sets itself, and their values. Only short lower-case
 * names are allowed: others may change the behaviour of the shell or of programs.
 */
import { type Assignment, type For, forEachChild, type SyntaxNode, type Word } from 'unbash';
import { refuse } from '../refusal.ts';

const PLAIN_NAME = /^[a-z][a-z0-9]{0,30}$/;
/** Lower-case names that have a meaning in some shell. */
const TAKEN: readonly string[] = ['path', 'cdpath', 'fpath', 'manpath', 'mailpath', 'histchars'];
const MAX_VALUES = 64;

/** All values a variable can ever have; `undefined` when they are not known. */
export interface Variable {
  readonly values: readonly string[] | undefined;
  /** Set by one loop only, so that inside of it the variable is never empty. */
  readonly isLoopOnly: boolean;
}

export type Variables = ReadonlyMap<string, Variable>;

export const assertVariableName = (name: string): void => {
  if (!PLAIN_NAME.test(name) || TAKEN.includes(name)) {
    refuse(
      'A variable is set that may change how the shell or a program behaves.',
      'Use short lower-case variable names, or write the value where it is needed.',
    );
  }
};

/** Gives the value of a word without expansions and patterns. */
const plainValue = (word: Word): string | undefined =>
  /^[\w./:@%+,=-]+$/.test(word.text) || /^'[^']*'$|^"[^"$`\\]*"$/.test(word.text)
    ? word.value
    : undefined;

const allPlain = (words: readonly Word[]): readonly string[] | undefined => {
  const values = words.map(plainValue).filter((value) => value !== undefined);
  return values.length === words.length ? values : undefined;
};

const addVariable = (variables: Map<string, Variable>, name: string, more: Variable): void => {
  const before = variables.get(name);
  const values = more.values && before ? before.values?.concat(more.values) : more.values;
  const isTooMany = values !== undefined && values.length > MAX_VALUES;
  variables.set(name, {
    values: isTooMany ? undefined : values,
    isLoopOnly: before === undefined && more.isLoopOnly,
  });
};

const ofAssignment = ({ value, append, index }: Assignment): Variable => ({
  values: value.type === 'Word' && !append && !index ? allPlain([value]) : undefined,
  isLoopOnly: false,
});

const ofLoop = ({ wordlist }: For): Variable => ({
  values: wordlist === undefined ? undefined : allPlain(wordlist),
  isLoopOnly: true,
});

/** Finds every variable that is set anywhere in the tree, in any order. */
export const findVariables = (root: SyntaxNode): Variables => {
  const variables = new Map<string, Variable>();
  const open: SyntaxNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'Assignment') addVariable(variables, node.name, ofAssignment(node));
    if (node.type === 'For') addVariable(variables, node.name.value, ofLoop(node));
    forEachChild(node, (child) => open.push(child));
  }
  return variables;
};

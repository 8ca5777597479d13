/**
 * Changes a parsed condition before it is checked: `matches` uses the linear engine, literal
 * patterns and times are computed once, and deeply nested loops are refused.
 */
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { CONSTANT_CALLS, LINEAR_MATCHES, type Prepared } from './cel-environment.ts';

/** Nested loops over an input that the caller chose cost a power of its size. */
const MAX_LOOP_DEPTH = 2;
const LOOPS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** The refusal of a condition, with the character that it is about. */
export class Refusal extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

/** A call in the tree. Its name is changed in place, because macros share nodes. */
interface CallNode {
  readonly start: number;
  readonly parts: unknown[];
  readonly name: string;
  readonly args: readonly ASTNode[];
  readonly loops: number;
}

/** Tells a node from the other values in a tree. */
export const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value;

const isCall = ({ op }: ASTNode): boolean => op === 'call' || op === 'rcall';

const visitCalls = (value: unknown, loops: number, visit: (call: CallNode) => void): void => {
  if (Array.isArray(value)) {
    for (const item of value) visitCalls(item, loops, visit);
    return;
  }
  if (!isNode(value)) return;
  if (!isCall(value)) {
    visitCalls(value.args, loops, visit);
    return;
  }
  const parts = value.args as unknown[];
  const name = String(parts[0]);
  visit({ start: value.start, parts, name, args: parts.at(-1) as ASTNode[], loops });
  visitCalls(parts, LOOPS.has(name) ? loops + 1 : loops, visit);
};

interface Literal {
  readonly text: string;
  readonly start: number;
}

/** Returns the only argument of a call when it is a literal text. */
const literalOf = ({ args }: CallNode): Literal | undefined => {
  const [only, ...others] = args;
  if (only?.op !== 'value' || typeof only.args !== 'string' || others.length > 0) return undefined;
  return { text: only.args, start: only.start };
};

const orRefuse = ({ name }: CallNode, { start }: Literal, work: () => void): void => {
  try {
    work();
  } catch (error) {
    const { message, summary = message } = error as Error & { readonly summary?: string };
    throw new Refusal(`${name}: ${summary}`, start);
  }
};

const prepareMatches = (call: CallNode, { patterns }: Prepared): void => {
  call.parts[0] = LINEAR_MATCHES;
  const pattern = literalOf(call);
  if (pattern) orRefuse(call, pattern, () => patterns.keep(pattern.text));
};

const prepareConstant = (call: CallNode, prepared: Prepared, environment: Environment): void => {
  const constantCall = CONSTANT_CALLS.get(call.name);
  const literal = literalOf(call);
  if (!constantCall || !literal) return;
  const { text } = literal;
  orRefuse(call, literal, () => {
    const value: unknown = environment.evaluate(`${call.name}(${JSON.stringify(text)})`);
    prepared.constants.set(text, value);
  });
  call.parts[0] = constantCall.constant;
};

export const prepareCondition = (
  root: ASTNode,
  prepared: Prepared,
  environment: Environment,
): void =>
  visitCalls(root, 0, (call) => {
    if (LOOPS.has(call.name) && call.loops >= MAX_LOOP_DEPTH) {
      throw new Refusal(`loops may be nested ${MAX_LOOP_DEPTH} deep`, call.start);
    }
    if (call.name === 'matches') prepareMatches(call, prepared);
    else prepareConstant(call, prepared, environment);
  });

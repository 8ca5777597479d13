/**
 * Evaluates simple comparisons, joined by and, or and not, without CEL. It answers as CEL would, or
 * leaves the question to CEL; most rules are decided here, which saves 0.15 µs a condition and call.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { PolicyQuestion } from '../../../contract/policy.ts';
import { isDelicate, isSink } from '../capability.ts';

/** Evaluates a condition; `undefined` leaves the question to CEL. */
export type QuickCondition = (question: PolicyQuestion) => boolean | undefined;

type Reader = (question: PolicyQuestion) => unknown;

const FACTS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['sink', ({ tool, tier }) => isSink(tool, tier)],
  ['destructive', ({ tool, capability }) => isDelicate(tool, capability)],
  ['flow.untrusted', ({ flow }) => flow.untrusted],
  ['now', ({ now }) => now],
  ['tier', ({ tier }) => tier],
  ['tool.name', ({ tool }) => tool.name],
  ['tool.source', ({ tool }) => tool.source],
  ['tool.server', ({ tool }) => tool.server ?? ''],
  ['tool.category', ({ tool }) => tool.category],
  ['caller.user', ({ caller }) => caller.userId],
  ['caller.agent', ({ caller }) => caller.agentId],
  ['caller.session', ({ caller }) => caller.sessionId],
]);

/** Accepts plain objects. One with its own `constructor` is left to CEL, which refuses it. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !Object.hasOwn(value, 'constructor');

/** Lists the names of `input.a.b`; `undefined` for anything else. */
const inputPath = ({ op, args }: ASTNode): readonly string[] | undefined => {
  if (op === 'id') return args === 'input' ? [] : undefined;
  if (op !== '.') return undefined;
  const [owner, field] = args as unknown as [ASTNode, string];
  const above = inputPath(owner);
  return above && [...above, field];
};

const ownValue = (value: unknown, path: readonly string[]): unknown => {
  let at = value;
  for (const name of path) {
    if (!isPlain(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
};

const nameOf = ({ op, args }: ASTNode): string => {
  if (op === 'id') return String(args);
  if (op !== '.') return '';
  const [owner, field] = args as unknown as [ASTNode, string];
  return `${nameOf(owner)}.${field}`;
};

/** Makes the reader of a named value. A missing value reads as `undefined`. */
const readerOf = (node: ASTNode): Reader | undefined => {
  const path = inputPath(node);
  if (path && path.length > 0) return ({ input }) => ownValue(input, path);
  return FACTS.get(nameOf(node));
};

const WHOLE_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Returns the milliseconds of `timestamp("…")`, when it can be read in one way only. */
const instantOf = (args: unknown): number | undefined => {
  const [name, [only]] = args as [string, readonly ASTNode[]];
  const text: unknown = name === 'timestamp' && only?.op === 'value' ? only.args : undefined;
  return typeof text === 'string' && WHOLE_SECONDS.test(text) ? Date.parse(text) : undefined;
};

/** Returns a text, a boolean, a time or a number that is the same in JavaScript and in CEL. */
const literalOf = ({ op, args }: ASTNode): unknown => {
  if (op === 'call') return instantOf(args);
  if (op !== 'value') return undefined;
  const value: unknown = args;
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
};

const ORDER: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** Compares two values of the same type; different types are left to CEL. */
const comparison = ({ op, args }: ASTNode): QuickCondition | undefined => {
  const [left, right] = args as unknown as [ASTNode, ASTNode];
  const read = readerOf(left);
  const expected = literalOf(right);
  if (!read || expected === undefined || expected === null) return undefined;
  const same = (value: unknown): boolean => typeof value === typeof expected;
  const order = ORDER[op];
  if (order) {
    if (typeof expected !== 'number') return undefined;
    return (question) => {
      const value = read(question);
      return typeof value === 'number' ? order(value, expected) : undefined;
    };
  }
  const equal = op === '==';
  return (question) => {
    const value = read(question);
    return same(value) ? (value === expected) === equal : undefined;
  };
};

const TEXT_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
};

const textTest = ({ args }: ASTNode): QuickCondition | undefined => {
  const [name, owner, [only]] = args as unknown as [string, ASTNode, readonly ASTNode[]];
  const test = Object.hasOwn(TEXT_TESTS, name) ? TEXT_TESTS[name] : undefined;
  const read = readerOf(owner);
  const part = only && literalOf(only);
  if (!test || !read || typeof part !== 'string') return undefined;
  return (question) => {
    const value = read(question);
    return typeof value === 'string' ? test(value, part) : undefined;
  };
};

/** Joins two conditions: a false side decides `and`, even if the other fails; a true one `or`. */
const joined = ({ op, args }: ASTNode): QuickCondition | undefined => {
  const decisive = op === '||';
  const [left, right] = (args as unknown as [ASTNode, ASTNode]).map(quickCondition);
  if (!left && !right) return undefined;
  return (question) => {
    const first = left?.(question);
    if (first === decisive) return decisive;
    const second = right?.(question);
    if (second === decisive) return decisive;
    return first === undefined || second === undefined ? undefined : !decisive;
  };
};

const negated = (node: ASTNode): QuickCondition | undefined => {
  const inner = quickCondition(node.args as unknown as ASTNode);
  if (!inner) return undefined;
  return (question) => {
    const value = inner(question);
    return value === undefined ? undefined : !value;
  };
};

const flag = (node: ASTNode): QuickCondition | undefined => {
  const read = readerOf(node);
  if (!read) return undefined;
  return (question) => {
    const value = read(question);
    return typeof value === 'boolean' ? value : undefined;
  };
};

const KINDS: Readonly<Record<string, (node: ASTNode) => QuickCondition | undefined>> = {
  '&&': joined,
  '||': joined,
  '!_': negated,
  '==': comparison,
  '!=': comparison,
  '<': comparison,
  '<=': comparison,
  '>': comparison,
  '>=': comparison,
  rcall: textTest,
  id: flag,
  '.': flag,
};

/** Compiles a condition; `undefined` when CEL has to evaluate all of it. */
export const quickCondition = (node: ASTNode): QuickCondition | undefined =>
  Object.hasOwn(KINDS, node.op) ? KINDS[node.op]?.(node) : undefined;

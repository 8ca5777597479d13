/**
 * Evaluates a parsed expression: only the listed kinds of node and functions, every call charged before
 * it is made and every value measured after. There is no property access, no function value, and
 * assignment to plain names only.
 */
import { closest, distance } from 'fastest-levenshtein';
import { CONSTANTS, FUNCTIONS, TEXT_ARGUMENTS } from './allowed-names.ts';
import { explainCall } from './explain-error.ts';
import type { MathEngine } from './math-engine.ts';
import { assertSize, estimateOf, isMatrix, shapeOf } from './measure.ts';
import { wrongExpression } from './refusal.ts';
import type {
  AccessorNode,
  AssignmentNode,
  BlockNode,
  ConditionalNode,
  FunctionNode,
  RangeNode,
  RelationalNode,
  SyntaxTree,
} from './syntax-tree.ts';
import { createWorkMeter, type WorkMeter } from './work-meter.ts';

interface Run {
  readonly engine: MathEngine;
  readonly meter: WorkMeter;
  readonly expression: string;
  readonly scope: Map<string, unknown>;
}

/** Functions that are written as operators. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['add', '+'],
  ['subtract', '-'],
  ['multiply', '*'],
  ['divide', '/'],
  ['pow', '^'],
  ['mod', '%'],
  ['factorial', '!'],
  ['ctranspose', "'"],
  ['range', ':'],
]);

/** Finds the position of a name or its sign in the expression, counted from 1. */
const positionOf = (name: string, { expression }: Run): number | undefined => {
  const at = expression.indexOf(name);
  const index = at < 0 ? expression.indexOf(SIGNS.get(name) ?? name) : at;
  return index < 0 ? undefined : index + 1;
};

/** Suggests a name only when it is likely: half of the letters have to match. */
const near = (name: string, names: Iterable<string>): readonly string[] => {
  const guess = closest(name.slice(0, 64), [...names]);
  return distance(name, guess) * 2 <= name.length ? [`Did you mean ${guess}?`] : [];
};

const call = (name: string, args: readonly unknown[], run: Run): unknown => {
  run.meter.charge(name, args);
  let value: unknown;
  try {
    value = run.engine.call(name, args);
  } catch (error) {
    throw explainCall(error, { name, position: positionOf(name, run) });
  }
  assertSize(value);
  return value;
};

/** Evaluates an argument. Text is no value: only a few functions take it, and only as a literal. */
const argumentOf = (node: SyntaxTree, name: string, run: Run): unknown => {
  if (node.type === 'ConstantNode' && typeof node.value === 'string') {
    if (TEXT_ARGUMENTS.get(name)?.test(node.value)) return node.value;
    throw wrongExpression('text cannot be used there', { position: positionOf(node.value, run) });
  }
  const value = evaluate(node, run);
  if (typeof value !== 'string') return value;
  throw wrongExpression(`${name}: text is the end of a calculation, not a part of it`);
};

const apply = (name: string, nodes: readonly SyntaxTree[], run: Run): unknown => {
  if (FUNCTIONS.has(name)) {
    return call(
      name,
      nodes.map((node) => argumentOf(node, name, run)),
      run,
    );
  }
  throw wrongExpression('there is no function of that name', {
    position: positionOf(name, run),
    suggestions: [...near(name, FUNCTIONS.keys()), 'Multiply a variable with "x * (…)".'],
  });
};

const symbol = (name: string, run: Run): unknown => {
  if (run.scope.has(name)) return run.scope.get(name);
  const value = run.engine.symbol(name);
  if (value !== undefined) return value;
  const isFunction = FUNCTIONS.has(name);
  throw wrongExpression(
    isFunction ? 'a function needs its arguments in parentheses' : 'there is no such name',
    {
      position: positionOf(name, run),
      suggestions: isFunction
        ? ['Write the function with its arguments, e.g. "sqrt(16)".']
        : [...near(name, [...CONSTANTS, ...run.scope.keys()]), 'Give its value in "variables".'],
    },
  );
};

const functionCall = ({ fn, args }: FunctionNode, run: Run): unknown => {
  if (fn.type !== 'SymbolNode') throw wrongExpression('only named functions can be called');
  return apply(fn.name, args, run);
};

const matrix = (items: readonly SyntaxTree[], run: Run): unknown => {
  const values = items.map((item) => argumentOf(item, 'matrix', run));
  try {
    const value = run.engine.matrix(values.map((item) => (isMatrix(item) ? item.toArray() : item)));
    assertSize(value);
    return value;
  } catch (error) {
    throw explainCall(error, { name: 'matrix', position: positionOf('[', run) });
  }
};

const range = ({ start, end, step }: RangeNode, run: Run): unknown =>
  apply('range', step ? [start, end, step] : [start, end], run);

/** Evaluates `A[2, 1:end]`; `end` is the length of its dimension. */
const accessor = ({ object, index }: AccessorNode, run: Run): unknown => {
  const whole = evaluate(object, run);
  if (index.dotNotation || !isMatrix(whole)) {
    throw wrongExpression('only the elements of a matrix can be picked', {
      position: positionOf(index.dotNotation ? '.' : '[', run),
      suggestions: ['Pick elements by position, e.g. "A[1, 2]".'],
    });
  }
  const shape = shapeOf(whole);
  const positions = index.dimensions.map((dimension, at) =>
    argumentOf(dimension, 'index', {
      ...run,
      scope: new Map([...run.scope, ['end', run.engine.number(shape[at] ?? 0)]]),
    }),
  );
  try {
    return run.engine.part(whole, positions);
  } catch (error) {
    throw explainCall(error, { name: 'index', position: positionOf('[', run) });
  }
};

const holds = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value;
  const number = estimateOf(value);
  if (Number.isNaN(number)) throw wrongExpression('a condition has to be true, false or a number');
  return number !== 0;
};

const conditional = ({ condition, trueExpr, falseExpr }: ConditionalNode, run: Run): unknown =>
  evaluate(holds(evaluate(condition, run)) ? trueExpr : falseExpr, run);

/** Evaluates `1 < x <= 5`: every neighbouring pair has to hold. */
const relational = ({ conditionals, params }: RelationalNode, run: Run): unknown => {
  let left = evaluate(params[0] as SyntaxTree, run);
  for (const [at, name] of conditionals.entries()) {
    const right = evaluate(params[at + 1] as SyntaxTree, run);
    if (!holds(call(name, [left, right], run))) return false;
    left = right;
  }
  return true;
};

const assignment = ({ object, index, value }: AssignmentNode, run: Run): unknown => {
  if (object.type !== 'SymbolNode' || index !== null || FUNCTIONS.has(object.name)) {
    throw wrongExpression('values can be given to plain names only', {
      position: positionOf('=', run),
      suggestions: ['Use a name that is not a function, e.g. "x = 3; x^2".'],
    });
  }
  const result = evaluate(value, run);
  run.scope.set(object.name, result);
  return result;
};

const block = ({ blocks }: BlockNode, run: Run): unknown => {
  let last: unknown;
  for (const { node } of blocks) last = evaluate(node, run);
  return last;
};

const evaluate = (node: SyntaxTree, run: Run): unknown => {
  run.meter.step();
  switch (node.type) {
    case 'ConstantNode':
      if (typeof node.value !== 'string') return node.value;
      throw wrongExpression('text is not a value', { position: positionOf(node.value, run) });
    case 'SymbolNode':
      return symbol(node.name, run);
    case 'ParenthesisNode':
      return evaluate(node.content, run);
    case 'OperatorNode':
      return apply(node.fn, node.args, run);
    case 'FunctionNode':
      return functionCall(node, run);
    case 'ArrayNode':
      return matrix(node.items, run);
    case 'RangeNode':
      return range(node, run);
    case 'AccessorNode':
      return accessor(node, run);
    case 'ConditionalNode':
      return conditional(node, run);
    case 'RelationalNode':
      return relational(node, run);
    case 'AssignmentNode':
      return assignment(node, run);
    case 'BlockNode':
      return block(node, run);
    default:
      throw wrongExpression('functions and objects cannot be defined');
  }
};

/** Evaluates an expression. Throws VALIDATION_ERROR for its faults, and when it takes too long. */
export const evaluateTree = (
  tree: SyntaxTree,
  expression: string,
  { engine, variables }: { engine: MathEngine; variables: Readonly<Record<string, number>> },
): unknown => {
  const scope = new Map<string, unknown>(
    Object.entries(variables).map(([name, value]) => [name, engine.number(value)]),
  );
  return evaluate(tree, { engine, meter: createWorkMeter(), expression, scope });
};

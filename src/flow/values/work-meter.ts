/**
 * Bounds what one evaluation of an expression may do. Limits on the text do not: `cel.bind` and `+`
 * double a list with every line, and a loop over a list of the input costs as much as that is long.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { ToolFailure } from '../../contract/errors.ts';
import { LINEAR_MATCHES } from '../../governance/policy/condition/cel-environment.ts';
import { isNode } from '../../governance/policy/condition/prepare-condition.ts';
import {
  type CalledFunction,
  callUnits,
  comparisonUnits,
  countValues,
  lookUnits,
} from './operation-cost.ts';

/** One unit is a node that is evaluated, an element that is made, or 16 characters that are looked at. */
export const MAX_WORK = 1_000_000;

/** Values that the paths of one evaluation may lead to together: one step's data may stand in many places. */
const MAX_TAKEN = 4_000_000;

/** Made once: an evaluation that ran out throws it for every node that is still tried. */
class TooMuchWork extends Error {
  constructor() {
    super('the expression takes too much work');
    this.name = 'TooMuchWork';
  }
}

export class WorkMeter {
  readonly #refusal = new TooMuchWork();
  #left = MAX_WORK;
  #taken = 0;
  #isMeasuring = false;

  /** What may still be spent. */
  get left(): number {
    return Math.max(0, this.#left);
  }

  /** What the newest evaluation has used: units, and the values that its paths led to. */
  get used(): number {
    return MAX_WORK - this.left + this.#taken;
  }

  /**
   * Runs one evaluation. Throws when it took too much, also when the expression absorbed that. Those inside
   * another one share its units: a value may hold thousands of expressions.
   */
  measure<T>(evaluate: () => T): T {
    const isOuter = !this.#isMeasuring;
    if (isOuter) {
      this.#left = MAX_WORK;
      this.#taken = 0;
    }
    this.#isMeasuring = true;
    try {
      const value = evaluate();
      if (this.#left < 0) throw this.#refusal;
      return value;
    } finally {
      if (isOuter) this.#isMeasuring = false;
    }
  }

  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw this.#refusal;
  }

  /** Counts a value that a path leads to: it is copied once for each place where it stands. */
  take(value: unknown): void {
    this.#taken += countValues(value, MAX_TAKEN + 1 - this.#taken);
    if (this.#taken <= MAX_TAKEN) return;
    throw new ToolFailure('EXECUTION_FAILED', 'The paths of the value lead to too much data.', {
      suggestions: ['Take the parts that are needed, instead of the same data in many places.'],
    });
  }

  /** Counts the length of a value that was made. */
  spendOn(made: unknown): void {
    this.spend(lookUnits(made));
  }
}

/** Operators whose value is new; the others only look something up or compare. */
const MAKERS = new Set(['+', 'call', 'rcall']);

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** How the library evaluates a node: by a method that replaces itself when it first runs. */
interface Evaluated {
  evaluate: Evaluate;
}

const meterNode = (node: ASTNode, meter: WorkMeter): void => {
  const evaluated = node as unknown as Evaluated;
  const makes = MAKERS.has(node.op);
  let own = evaluated.evaluate;
  const metered: Evaluate = (evaluator, self, context) => {
    meter.spend(1);
    try {
      const value = own.call(node, evaluator, self, context);
      if (makes) meter.spendOn(value);
      return value;
    } finally {
      if (evaluated.evaluate !== metered) {
        own = evaluated.evaluate;
        evaluated.evaluate = metered;
      }
    }
  };
  evaluated.evaluate = metered;
};

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=']);

/** Describes how the library applies the operation of a node to its operands. */
type Handle = (...operands: unknown[]) => unknown;

interface Handled {
  handle?: Handle;
}

const calledFunction = (parts: readonly unknown[]): CalledFunction => {
  const name = String(parts[0]);
  if (name !== LINEAR_MATCHES) return { name };
  const [pattern] = parts.at(-1) as readonly ASTNode[];
  return { name, pattern: pattern?.op === 'value' ? 'literal' : 'computed' };
};

/** Has the operation of a node cost what it looks at, before it is applied. */
const meterOperation = (node: ASTNode, meter: WorkMeter): void => {
  const handled = node as unknown as Handled;
  const own = handled.handle;
  if (typeof own !== 'function') return;
  if (node.op === 'call' || node.op === 'rcall') {
    const called = calledFunction(node.args as readonly unknown[]);
    handled.handle = (operands, ...rest) => {
      meter.spend(callUnits(called, operands as readonly unknown[]));
      return own(operands, ...rest);
    };
  } else if (COMPARISONS.has(node.op)) {
    handled.handle = (left, right, ...rest) => {
      meter.spend(comparisonUnits(left, right, meter.left + 1));
      return own(left, right, ...rest);
    };
  }
};

/** Visits every node that the text has; those that a macro adds only run together with these. */
export const visitNodes = (value: unknown, visit: (node: ASTNode) => void): void => {
  if (Array.isArray(value)) for (const each of value) visitNodes(each, visit);
  if (!isNode(value)) return;
  visit(value);
  visitNodes(value.args, visit);
};

/** Has every evaluation of these nodes count. The tree must have been checked before. */
export const meterNodes = (root: ASTNode, meter: WorkMeter): void =>
  visitNodes(root, (node) => {
    meterNode(node, meter);
    meterOperation(node, meter);
  });

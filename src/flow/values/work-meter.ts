/**
 * Bounds what one evaluation of an expression may do. Limits on the text do not: `cel.bind` and `+`
 * double a list with every line, and a loop over a list of the input costs as much as that is long.
 */
import type { ASTNode } from '@marcbachmann/cel-js';

/** One unit is a node that is evaluated, an element that is made, or 16 characters that are made. */
export const MAX_WORK = 1_000_000;
const CHARACTERS_A_UNIT = 16;

/** Made once: an evaluation that ran out throws it for every node that is still tried. */
class TooMuchWork extends Error {
  constructor() {
    super('the expression takes too much work');
    this.name = 'TooMuchWork';
  }
}

const sizeOf = (made: unknown): number => {
  if (typeof made === 'string') return made.length / CHARACTERS_A_UNIT;
  if (Array.isArray(made)) return made.length;
  return made instanceof Uint8Array ? made.length / CHARACTERS_A_UNIT : 0;
};

export class WorkMeter {
  readonly #refusal = new TooMuchWork();
  #left = MAX_WORK;

  /** Runs one evaluation. Throws when it took too much, also when the expression absorbed that. */
  measure<T>(evaluate: () => T): T {
    this.#left = MAX_WORK;
    const value = evaluate();
    if (this.#left < 0) throw this.#refusal;
    return value;
  }

  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw this.#refusal;
  }

  /** Counts the length of a value that was made. */
  spendOn(made: unknown): void {
    this.spend(sizeOf(made));
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

const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value;

/** Visits every node that the text has; those that a macro adds only run together with these. */
export const visitNodes = (value: unknown, visit: (node: ASTNode) => void): void => {
  if (Array.isArray(value)) for (const each of value) visitNodes(each, visit);
  if (!isNode(value)) return;
  visit(value);
  visitNodes(value.args, visit);
};

/** Has every evaluation of these nodes count. The tree must have been checked before. */
export const meterNodes = (root: ASTNode, meter: WorkMeter): void =>
  visitNodes(root, (node) => meterNode(node, meter));

/**
 * Values of steps as data. `{ from: 'steps.a.data.url' }` takes what a path leads to, `{ cel: 'input.n * 2' }`
 * computes, `{ value: … }` is taken as it is, and everything else is what it looks like, with these
 * three forms inside lists and objects. A text is never a template: data cannot add a reference.
 */
import { type Issue, ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { type Expression, expressionCompiler, isFault } from './compile-expression.ts';
import { lookUp, parseReference, type Reference } from './reference.ts';
import type { ValueScope } from './scope.ts';
import { WorkMeter } from './work-meter.ts';

const MAX_DEPTH = 32;
const MAX_NODES = 10_000;

/** A reference and where in the specification it is written, for errors with line and column. */
export interface PlacedReference extends Reference {
  readonly path: readonly (string | number)[];
}

export interface CompiledValue {
  readonly references: readonly PlacedReference[];
  /**
   * Works the value out. Throws a ToolFailure that names what is missing. `spent` is told what that took, also
   * where it failed: whoever works out many values bounds them together.
   */
  evaluate(scope: ValueScope, spent?: (units: number) => void): unknown;
}

type Path = readonly (string | number)[];
type Evaluate = (scope: ValueScope) => unknown;

export interface ValueCompiler {
  /** Throws a VALIDATION_ERROR with all that is wrong; `issues` have the path of each. */
  value(spec: unknown): CompiledValue;
  /** Compiles one expression. Throws like `value`. */
  expression(text: unknown): Expression;
  /** Compiles one that has to give true or false. Throws like `value`. */
  test(text: unknown): Expression;
}

interface Collected {
  readonly references: PlacedReference[];
  readonly issues: Issue[];
  nodes: number;
}

type Compile = ReturnType<typeof expressionCompiler>;

const NOTHING: Evaluate = () => undefined;

const onlyKey = (spec: Readonly<Record<string, unknown>>): string | undefined => {
  const keys = Object.keys(spec);
  return keys.length === 1 ? keys[0] : undefined;
};

class SpecReader {
  readonly #compile: Compile;
  readonly #meter: WorkMeter;
  readonly #collected: Collected;

  constructor(
    { compile, meter }: { readonly compile: Compile; readonly meter: WorkMeter },
    collected: Collected,
  ) {
    this.#compile = compile;
    this.#meter = meter;
    this.#collected = collected;
  }

  read(spec: unknown, path: Path): Evaluate {
    this.#collected.nodes += 1;
    if (this.#collected.nodes > MAX_NODES || path.length > MAX_DEPTH) {
      return this.#fault(path, `has more than ${MAX_NODES} values, or is nested too deep`);
    }
    if (Array.isArray(spec)) return this.#list(spec, path);
    if (!isRecord(spec)) return () => spec;
    switch (onlyKey(spec)) {
      case 'from':
        return this.#reference(spec.from, [...path, 'from']);
      case 'cel':
        return this.#expression(spec.cel, [...path, 'cel']);
      case 'value':
        return () => spec.value;
      default:
        return this.#object(spec, path);
    }
  }

  #list(spec: readonly unknown[], path: Path): Evaluate {
    const parts: Evaluate[] = [];
    // Stops at the first part too many, so that the list of faults stays short.
    for (const [at, each] of spec.entries()) {
      if (this.#collected.nodes > MAX_NODES) break;
      parts.push(this.read(each, [...path, at]));
    }
    return (scope) => parts.map((part) => part(scope));
  }

  #object(spec: Readonly<Record<string, unknown>>, path: Path): Evaluate {
    const parts: [string, Evaluate][] = [];
    for (const [key, each] of Object.entries(spec)) {
      if (this.#collected.nodes > MAX_NODES) break;
      if (isPrototypeKey(key)) return this.#fault([...path, key], `must not be called ${key}`);
      parts.push([key, this.read(each, [...path, key])]);
    }
    return (scope) => Object.fromEntries(parts.map(([key, part]) => [key, part(scope)]));
  }

  #reference(text: unknown, path: Path): Evaluate {
    if (typeof text !== 'string') return this.#fault(path, 'has to be a path, e.g. input.url');
    const reference = parseReference(text);
    if (typeof reference === 'string') return this.#fault(path, `the path ${reference}`);
    const { segments: _segments, ...placed } = reference;
    this.#collected.references.push({ ...placed, path });
    return (scope) => {
      const value = lookUp(reference, scope);
      this.#meter.take(value);
      return value;
    };
  }

  #expression(text: unknown, path: Path): Evaluate {
    if (typeof text !== 'string') return this.#fault(path, 'has to be a text of CEL');
    const expression = this.#compile(text);
    if (isFault(expression)) {
      return this.#fault(path, `CEL, character ${expression.offset + 1}: ${expression.reason}`);
    }
    for (const each of expression.references) this.#collected.references.push({ ...each, path });
    return expression.evaluate;
  }

  #fault(path: Path, message: string): Evaluate {
    this.#collected.issues.push({ path, message });
    return NOTHING;
  }
}

const assertNoIssues = ([first, ...others]: readonly Issue[]): void => {
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const place = first.path.length === 0 ? 'The value' : first.path.join('.');
  throw new ToolFailure('VALIDATION_ERROR', `${place}: ${first.message}${more}.`, {
    issues: [first, ...others],
  });
};

const badExpression = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${message}.`, { issues: [{ path: [], message }] });

/** Creates a compiler whose expressions share one CEL environment. What a value may cost is for all of it. */
export const valueCompiler = (): ValueCompiler => {
  const meter = new WorkMeter();
  const compile = expressionCompiler(meter);
  const expressionOf = (text: unknown): Expression => {
    const checked = typeof text === 'string' ? compile(text) : undefined;
    if (checked !== undefined && !isFault(checked)) return checked;
    throw badExpression(
      checked
        ? `CEL, character ${checked.offset + 1}: ${checked.reason}`
        : 'has to be a text of CEL',
    );
  };
  return {
    value: (spec) => {
      const collected: Collected = { references: [], issues: [], nodes: 0 };
      const evaluate = new SpecReader({ compile, meter }, collected).read(spec, []);
      assertNoIssues(collected.issues);
      return {
        references: collected.references,
        evaluate: (scope, spent) => {
          try {
            return meter.measure(() => evaluate(scope));
          } finally {
            spent?.(meter.used);
          }
        },
      };
    },
    expression: expressionOf,
    test: (text) => {
      const expression = expressionOf(text);
      if (expression.type === 'bool' || expression.type === 'dyn') return expression;
      throw badExpression(`CEL: gives ${expression.type}, and not true or false`);
    },
  };
};

/** Compiles one value with a compiler of its own; see `valueCompiler` for many. */
export const compileValue = (spec: unknown): CompiledValue => valueCompiler().value(spec);

/** Compiles the steps of a composition, and finds all that is wrong with them at once. */
import { type Issue, ToolFailure } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import { isRange, satisfier } from '../../../registry/versions.ts';
import type { Expression } from '../../values/compile-expression.ts';
import {
  type CompiledValue,
  type ValueCompiler,
  valueCompiler,
} from '../../values/compile-value.ts';
import type { Reference } from '../../values/reference.ts';
import type { ValueScope } from '../../values/scope.ts';
import { shapeOf } from '../object-shape.ts';
import type {
  ErrorHandling,
  ParsedComposition,
  ParsedStep,
  StepTarget,
} from './composition-shape.ts';

type Path = readonly (string | number)[];

export interface CompiledTarget {
  readonly tool: Tool;
  /** The version that the tool in use has to have. */
  readonly range: string;
  inputOf(scope: ValueScope): Readonly<Record<string, unknown>>;
}

export interface CompiledStep extends CompiledTarget {
  readonly id: string;
  readonly condition: Expression | undefined;
  readonly timeoutMs: number | undefined;
  readonly errorHandling: ErrorHandling;
  readonly fallback: CompiledTarget | undefined;
}

/** Steps that run at the same time. */
export type StepGroup = readonly CompiledStep[];

export interface CompiledComposition {
  readonly groups: readonly StepGroup[];
  /** The expression of a custom aggregation. */
  readonly aggregator: Expression | undefined;
}

export type FindTool = (name: string) => Tool | undefined;

const compiled = <T>(issues: Issue[], path: Path, compile: () => T): T | undefined => {
  try {
    return compile();
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown;
    const [first] = thrown.extras.issues ?? [];
    issues.push({ path, message: first?.message ?? thrown.message });
    return undefined;
  }
};

/** Puts parallel steps that stand beside each other into one group. */
const groupSteps = ({ composition }: ParsedComposition): readonly (readonly number[])[] => {
  const groups: number[][] = [];
  const { steps, flow } = composition;
  for (const [at, { parallel }] of steps.entries()) {
    const isParallel = flow === 'parallel' || parallel;
    const before = steps[at - 1];
    const last = groups.at(-1);
    const joins = isParallel && before && (flow === 'parallel' || before.parallel);
    if (joins && last) last.push(at);
    else groups.push([at]);
  }
  return groups;
};

class StepCompiler {
  readonly issues: Issue[] = [];
  readonly #definition: ParsedComposition;
  readonly #find: FindTool;
  readonly #values: ValueCompiler;
  /** The number of the group of each step. */
  readonly #groupOf = new Map<string, number>();

  constructor(definition: ParsedComposition, find: FindTool, values: ValueCompiler) {
    this.#definition = definition;
    this.#find = find;
    this.#values = values;
  }

  compile(): CompiledComposition {
    const { steps } = this.#definition.composition;
    const groups = groupSteps(this.#definition);
    for (const [group, members] of groups.entries()) {
      for (const at of members) this.#addId(steps[at]?.id ?? '', group, at);
    }
    const made = groups.map((members) =>
      members.flatMap((at) => {
        const step = steps[at];
        return (step && this.#step(step, ['composition', 'steps', at])) ?? [];
      }),
    );
    return { groups: made, aggregator: this.#aggregator(groups.length) };
  }

  #addId(id: string, group: number, at: number): void {
    if (this.#groupOf.has(id)) {
      this.#fault(['composition', 'steps', at, 'id'], `there is a step ${id} already`);
    } else this.#groupOf.set(id, group);
  }

  #aggregator(after: number): Expression | undefined {
    const { aggregation } = this.#definition;
    if (aggregation.strategy !== 'custom') return undefined;
    return this.#expression(aggregation.cel, ['aggregation', 'cel'], { group: after });
  }

  #step(step: ParsedStep, path: Path): CompiledStep | undefined {
    const { id, condition, timeoutMs } = step;
    const group = this.#groupOf.get(id) ?? 0;
    const target = this.#target(step, path, group);
    const { errorHandling = this.#definition.composition.errorHandling } = step;
    const isOwn = step.errorHandling !== undefined;
    const place = isOwn ? path : ['composition'];
    const fallback =
      errorHandling.strategy === 'fallback'
        ? this.#target(errorHandling.fallback, [...place, 'errorHandling', 'fallback'], group)
        : undefined;
    const test =
      condition === undefined
        ? undefined
        : this.#expression(condition, [...path, 'condition'], { group, isTest: true });
    return target && { ...target, id, condition: test, timeoutMs, errorHandling, fallback };
  }

  #expression(
    cel: string,
    path: Path,
    { group, isTest = false }: { readonly group: number; readonly isTest?: boolean },
  ): Expression | undefined {
    const expression = compiled(this.issues, path, () =>
      isTest ? this.#values.test(cel) : this.#values.expression(cel),
    );
    for (const reference of expression?.references ?? []) this.#check(reference, path, group);
    return expression;
  }

  #target(target: StepTarget, path: Path, group: number): CompiledTarget | undefined {
    const tool = this.#toolOf(target, path);
    const parts = this.#parameters(target, [...path, 'parameters'], group);
    if (!tool) return undefined;
    this.#checkParameters(tool, new Set(parts.keys()), [...path, 'parameters']);
    return {
      tool,
      range: target.version ?? tool.version,
      inputOf: (scope) =>
        Object.fromEntries([...parts].map(([name, value]) => [name, value.evaluate(scope)])),
    };
  }

  #toolOf({ tool: name, version }: StepTarget, path: Path): Tool | undefined {
    if (name === this.#definition.name) this.#fault([...path, 'tool'], 'it would call itself');
    const tool = this.#find(name);
    if (!tool) {
      this.#fault([...path, 'tool'], `there is no tool ${name}`);
    } else if (version !== undefined && !isRange(version)) {
      this.#fault([...path, 'version'], 'expected a version or a range such as ^1.2.0');
    } else if (version !== undefined && !satisfier(version)(tool.version)) {
      this.#fault([...path, 'version'], `${name} is there as ${tool.version}`);
    }
    return tool;
  }

  #parameters({ parameters }: StepTarget, path: Path, group: number) {
    const parts = new Map<string, CompiledValue>();
    const add = (kind: 'static' | 'dynamic' | 'computed', name: string, spec: unknown): void => {
      const at = [...path, kind, name];
      const value = compiled(this.issues, at, () => this.#values.value({ [name]: spec }));
      if (!value) return;
      for (const reference of value.references) this.#check(reference, at, group);
      if (parts.has(name)) this.#fault(at, `${name} is given twice`);
      const { references } = value;
      parts.set(name, { references, evaluate: (scope) => only(value.evaluate(scope), name) });
    };
    for (const [name, value] of Object.entries(parameters.static)) add('static', name, { value });
    for (const [name, from] of Object.entries(parameters.dynamic)) add('dynamic', name, { from });
    for (const [name, cel] of Object.entries(parameters.computed)) add('computed', name, { cel });
    return parts;
  }

  /** Compares the names with the schema of the tool; the values are checked when it is called. */
  #checkParameters(tool: Tool, names: ReadonlySet<string>, path: Path): void {
    const shape = shapeOf(tool.input, 'input');
    if (!shape) return;
    for (const name of shape.required) {
      if (!names.has(name)) this.#fault(path, `${tool.name} needs the parameter ${name}`);
    }
    if (!shape.isClosed) return;
    for (const name of names) {
      if (!Object.hasOwn(shape.properties, name)) {
        this.#fault(path, `${tool.name} has no parameter ${name}`);
      }
    }
  }

  #check({ root, step, text }: Reference, path: Path, group: number): void {
    if (root === 'item') this.#fault(path, 'there is no item in a composition');
    if (step === undefined) return;
    const other = this.#groupOf.get(step);
    if (other === undefined) this.#fault(path, `${text}: there is no step ${step}`);
    else if (other >= group) this.#fault(path, `${text}: step ${step} does not come before`);
  }

  #fault(path: Path, message: string): void {
    this.issues.push({ path, message });
  }
}

const only = (values: unknown, name: string): unknown =>
  (values as Readonly<Record<string, unknown>>)[name];

/** Throws a VALIDATION_ERROR with every fault and its path. */
export const compileSteps = (
  definition: ParsedComposition,
  find: FindTool,
  values: ValueCompiler = valueCompiler(),
): CompiledComposition => {
  const compiler = new StepCompiler(definition, find, values);
  const composition = compiler.compile();
  const [first] = compiler.issues;
  if (!first) return composition;
  throw new ToolFailure('VALIDATION_ERROR', `${first.path.join('.')}: ${first.message}.`, {
    issues: compiler.issues,
  });
};

/** Compiles the steps of a composition, and finds all that is wrong with them at once. */
import { type Issue, ToolFailure } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import { didYouMean } from '../../../kit/text/did-you-mean.ts';
import { isRange, satisfier } from '../../../registry/versions.ts';
import { deadEnd, type FlowShapes, undeclaredField } from '../../declared/check/schema-fit.ts';
import type { Expression } from '../../values/compile-expression.ts';
import {
  type CompiledValue,
  type ValueCompiler,
  valueCompiler,
} from '../../values/compile-value.ts';
import type { Reference } from '../../values/reference.ts';
import type { ValueScope } from '../../values/scope.ts';
import { parameterIssues, stepShapes } from './check-parameters.ts';
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

/** The tools that the steps may use. */
export interface StepTools {
  readonly find: FindTool;
  /** Gives the name that was probably meant. */
  suggest?(name: string): string | undefined;
}

/** All that is wrong with the steps, and what may be. */
export interface StepFaults {
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
}

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
  readonly warnings: Issue[] = [];
  readonly #definition: ParsedComposition;
  readonly #tools: StepTools;
  readonly #shapes: FlowShapes;
  readonly #values: ValueCompiler;
  /** The number of the group of each step. */
  readonly #groupOf = new Map<string, number>();

  constructor(definition: ParsedComposition, tools: StepTools, values: ValueCompiler) {
    this.#definition = definition;
    this.#tools = tools;
    this.#values = values;
    const { schema, composition } = definition;
    const ids = composition.steps.map(({ id }) => id);
    this.#shapes = stepShapes({
      schema,
      toolOf: (id) => {
        const step = composition.steps[ids.indexOf(id)];
        const { strategy } = step?.errorHandling ?? composition.errorHandling;
        return step && strategy !== 'fallback' ? tools.find(step.tool) : undefined;
      },
    });
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
    for (const issue of parameterIssues(tool, target, this.#shapes)) {
      this.#fault([...path, 'parameters', ...issue.path], issue.message);
    }
    return {
      tool,
      range: target.version ?? tool.version,
      inputOf: (scope) =>
        Object.fromEntries([...parts].map(([name, value]) => [name, value.evaluate(scope)])),
    };
  }

  #toolOf({ tool: name, version }: StepTarget, path: Path): Tool | undefined {
    if (name === this.#definition.name) this.#fault([...path, 'tool'], 'it would call itself');
    const tool = this.#tools.find(name);
    if (!tool) {
      const meant = this.#tools.suggest?.(name);
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      this.#fault([...path, 'tool'], `there is no tool ${name}${hint}`);
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

  #check(reference: Reference, path: Path, group: number): void {
    const { root, step, text } = reference;
    if (root === 'item') this.#fault(path, 'there is no item in a composition');
    const end = deadEnd(text, this.#shapes);
    if (end !== undefined) this.#fault(path, end);
    const undeclared = undeclaredField(text, this.#shapes);
    if (undeclared !== undefined) this.warnings.push({ path, message: undeclared });
    if (step === undefined) return;
    const other = this.#groupOf.get(step);
    if (other === undefined)
      this.#fault(
        path,
        `${text}: there is no step ${step}${didYouMean(step, this.#groupOf.keys())}`,
      );
    else if (other >= group) this.#fault(path, `${text}: step ${step} does not come before`);
  }

  #fault(path: Path, message: string): void {
    const place = path.join('.');
    const isKnown = this.issues.some(
      (issue) => issue.message === message && issue.path.join('.') === place,
    );
    if (!isKnown) this.issues.push({ path, message });
  }
}

const only = (values: unknown, name: string): unknown =>
  (values as Readonly<Record<string, unknown>>)[name];

/** Compiles the steps; what comes out can be run only where there are no issues. */
export const compileSteps = (
  definition: ParsedComposition,
  tools: StepTools,
  values: ValueCompiler = valueCompiler(),
): CompiledComposition & StepFaults => {
  const compiler = new StepCompiler(definition, tools, values);
  const composition = compiler.compile();
  const { issues, warnings } = compiler;
  return { ...composition, issues, warnings };
};

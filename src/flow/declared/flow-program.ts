/** The values and conditions of all steps of a flow, compiled once, and what is wrong with them. */
import { ToolFailure } from '../../contract/errors.ts';
import type { FlowData, FlowDataStep, FlowFault, FlowToolCall } from '../../contract/flow-data.ts';
import type { Expression } from '../values/compile-expression.ts';
import { type CompiledValue, type ValueCompiler, valueCompiler } from '../values/compile-value.ts';
import type { Reference } from '../values/reference.ts';
import { buildTree, type FlowPath, type StepNode, type StepTree } from './step-tree.ts';

/** What a call is made with. */
export interface CompiledCall {
  readonly call: FlowToolCall;
  readonly input: CompiledValue | undefined;
}

/** The values of one step; those that it does not have are absent. */
export interface CompiledStep {
  readonly input?: CompiledValue;
  readonly details?: CompiledValue;
  readonly items?: CompiledValue;
  readonly output?: CompiledValue;
  readonly when?: Expression;
  readonly join?: Expression;
  readonly fallback?: CompiledCall;
  readonly otherwise?: CompiledCall;
}

/** A name that a step uses, and where it is written. */
export interface PlacedUse {
  /** The step, or nothing for the flow itself. */
  readonly node: StepNode | undefined;
  readonly member: keyof CompiledStep;
  readonly reference: Reference;
  readonly path: FlowPath;
}

type Fault = Omit<FlowFault, 'line' | 'column'>;

export interface FlowProgram {
  readonly flow: FlowData;
  readonly tree: StepTree;
  readonly steps: ReadonlyMap<StepNode, CompiledStep>;
  readonly join: Expression | undefined;
  readonly output: CompiledValue | undefined;
  readonly uses: readonly PlacedUse[];
  readonly faults: readonly Fault[];
}

interface Target {
  readonly node: StepNode | undefined;
  readonly member: keyof CompiledStep;
  readonly path: FlowPath;
}

const nameOf = ({ node, path }: Target): string =>
  node
    ? `The ${path.slice(node.path.length).join('.')} of step ${node.step.id}`
    : `The ${path.join('.')} of the flow`;

/** Names the step and its field in a failure to work a value out: the run may have many steps. */
const placed =
  (evaluate: CompiledValue['evaluate'], target: Target): CompiledValue['evaluate'] =>
  (scope, spent) => {
    try {
      return evaluate(scope, spent);
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure)) throw thrown;
      const { code, message, extras } = thrown;
      throw new ToolFailure(code, `${nameOf(target)}: ${message}`, extras);
    }
  };

class ProgramBuilder {
  readonly uses: PlacedUse[] = [];
  readonly faults: Fault[] = [];
  readonly #compiler: ValueCompiler = valueCompiler();

  value(spec: unknown, target: Target): CompiledValue | undefined {
    if (spec === undefined) return undefined;
    return this.#attempt(target, () => {
      const compiled = this.#compiler.value(spec);
      for (const { path, ...reference } of compiled.references) {
        this.#use({ ...target, path: [...target.path, ...path] }, reference);
      }
      return { ...compiled, evaluate: placed(compiled.evaluate, target) };
    });
  }

  test(text: string | undefined, target: Target): Expression | undefined {
    if (text === undefined) return undefined;
    return this.#attempt(target, () => {
      const compiled = this.#compiler.test(text);
      for (const reference of compiled.references) this.#use(target, reference);
      return { ...compiled, evaluate: placed(compiled.evaluate, target) };
    });
  }

  call(call: FlowToolCall, target: Target): CompiledCall {
    const path = [...target.path, 'input'];
    return { call, input: this.value(call.input, { ...target, path }) };
  }

  #use({ node, member, path }: Target, reference: Reference): void {
    this.uses.push({ node, member, path, reference });
  }

  #attempt<T>({ path }: Target, compile: () => T): T | undefined {
    try {
      return compile();
    } catch (thrown) {
      if (!(thrown instanceof ToolFailure)) throw thrown;
      const { issues = [{ path: [], message: thrown.message }] } = thrown.extras ?? {};
      for (const issue of issues) {
        this.faults.push({
          path: [...path, ...(issue.path as FlowPath)],
          message: issue.message,
          severity: 'error',
        });
      }
      return undefined;
    }
  }
}

const customJoin = (join: FlowDataStep['join']): string | undefined =>
  typeof join === 'object' ? join.custom : undefined;

const compileStep = (node: StepNode, builder: ProgramBuilder): CompiledStep => {
  const { step, path } = node;
  const at = (member: keyof CompiledStep, ...rest: FlowPath): Target => ({
    node,
    member,
    path: [...path, ...rest],
  });
  const { onError, else: otherwise } = step;
  const parts = {
    input: builder.value(step.input, at('input', 'input')),
    details: builder.value(step.details, at('details', 'details')),
    items: builder.value(step.forEach?.items, at('items', 'forEach', 'items')),
    output: builder.value(step.output, at('output', 'output')),
    when: builder.test(step.when, at('when', 'when')),
    join: builder.test(customJoin(step.join), at('join', 'join', 'custom')),
    fallback:
      typeof onError === 'object'
        ? builder.call(onError.fallback, at('fallback', 'onError', 'fallback'))
        : undefined,
    otherwise:
      typeof otherwise === 'object' ? builder.call(otherwise, at('otherwise', 'else')) : undefined,
  };
  const present = Object.entries(parts).filter(([, part]) => part !== undefined);
  return Object.fromEntries(present) as CompiledStep;
};

/** Compiles a flow that fits the schema. What is wrong with it is in `faults`; nothing is thrown. */
export const compileProgram = (flow: FlowData): FlowProgram => {
  const tree = buildTree(flow);
  const builder = new ProgramBuilder();
  const steps = new Map(tree.nodes.map((node) => [node, compileStep(node, builder)] as const));
  const own = (member: 'join' | 'output', path: FlowPath): Target => ({
    node: undefined,
    member,
    path,
  });
  const join = builder.test(customJoin(flow.join), own('join', ['join', 'custom']));
  const output = builder.value(flow.output, own('output', ['output']));
  const faults = [...tree.faults, ...builder.faults];
  return { flow, tree, steps, join, output, uses: builder.uses, faults };
};

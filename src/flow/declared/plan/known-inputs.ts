/** Works out with which inputs a step will call its tool, as far as that follows from the input of the run. */
import { digestOf } from '../../../kit/data/canonical-json.ts';
import type { CompiledValue } from '../../values/compile-value.ts';
import type { ScopeName, ValueScope } from '../../values/scope.ts';
import type { PlacedCall } from '../check/validate-flow.ts';
import type { FlowProgram } from '../flow-program.ts';
import { pipedFrom } from '../piped-from.ts';
import type { StepNode } from '../step-tree.ts';

/** So many different inputs of one step are judged; more would hold a plan up. */
const MAX_INPUTS = 100;
/** So many items of one step are looked at for them. */
const MAX_ITEMS = 1_000;

export type KnownInputs =
  /** Inputs that differ; `isAll` is false where there are more. */
  | { readonly inputs: readonly unknown[]; readonly isAll: boolean; readonly isOne: boolean }
  | { readonly reason: string };

const FROM_STEPS: KnownInputs = { reason: 'its input depends on what earlier steps return' };
const LIST_FROM_STEPS: KnownInputs = { reason: 'its list depends on what earlier steps return' };
const NOT_THERE: KnownInputs = { reason: 'its input cannot be worked out from what is given' };
export const TOO_MUCH = 'there is too much data to work its input out before the run';

export interface KnownInputsDeps {
  readonly program: FlowProgram;
  readonly scope: ValueScope;
  /** The names whose values are known before the run. */
  readonly roots: ReadonlySet<ScopeName>;
  readonly left: PlanLeft;
}

/** What may still be looked at, of all steps together. */
export interface PlanLeft {
  items: number;
  /** Units, as values count them when they are worked out. */
  work: number;
}

/** What one plan may work out: a fraction of a second. */
export const MAX_PLAN_WORK = 4_000_000;

/** Counts what values take that are worked out for a plan. */
export const spendOf =
  (left: Pick<PlanLeft, 'work'>) =>
  (units: number): void => {
    left.work -= units;
  };

const NO_INPUT: CompiledValue = { references: [], evaluate: () => ({}) };
const FLOW_INPUT: CompiledValue = {
  references: [{ root: 'input', text: 'input', path: [] }],
  evaluate: ({ input }) => input ?? {},
};

/** Gives the value that a step makes its call with, or starts its flow with; nothing where a step hands it on. */
export const callValue = (
  { node, input, path }: Pick<PlacedCall, 'node' | 'path'> & { readonly input?: unknown },
  program: FlowProgram,
): CompiledValue | undefined => {
  if (input === undefined) {
    const source = path === node.path ? pipedFrom(node) : undefined;
    if (source === undefined) return NO_INPUT;
    return source === 'input' ? FLOW_INPUT : undefined;
  }
  const compiled = program.steps.get(node);
  if (path === node.path) return compiled?.input;
  return path.at(-1) === 'else' ? compiled?.otherwise?.input : compiled?.fallback?.input;
};

/**
 * Finds the step that a call is made with, once for each of its items: the step itself, or what is around
 * it for its alternative, which is called instead of the whole list.
 */
export const repeaterOf = ({ node, path }: Pick<PlacedCall, 'node' | 'path'>) =>
  path !== node.path && path.at(-1) === 'else' ? node.group.owner : node;

const usesItem = ({ references }: CompiledValue): boolean =>
  references.some(({ root }) => root === 'item');

class ItemScopes {
  readonly #deps: KnownInputsDeps;
  isAll = true;
  readonly spend: (units: number) => void;

  constructor(deps: KnownInputsDeps) {
    this.#deps = deps;
    this.spend = spendOf(deps.left);
  }

  /** Lists what each time that a step runs can see; nothing where a list is not known. Throws as values do. */
  of(node: StepNode | undefined): readonly ValueScope[] | undefined {
    if (!node) return [this.#deps.scope];
    const outer = this.of(node.group.owner);
    if (!outer || !node.step.forEach) return outer;
    const items = this.#deps.program.steps.get(node)?.items;
    if (!items || !this.isKnown(items)) return undefined;
    const scopes: ValueScope[] = [];
    const max = Math.min(MAX_ITEMS, this.#deps.left.items);
    for (const scope of outer) {
      const list = this.#deps.left.work > 0 ? items.evaluate(scope, this.spend) : [];
      if (this.#deps.left.work <= 0) this.isAll = false;
      if (!Array.isArray(list)) return undefined;
      const room = list.slice(0, max - scopes.length);
      if (room.length < list.length) this.isAll = false;
      scopes.push(...room.map((item: unknown) => ({ ...scope, item })));
    }
    this.#deps.left.items -= scopes.length;
    return scopes;
  }

  isKnown({ references }: CompiledValue): boolean {
    return references.every(({ root }) => root === 'item' || this.#deps.roots.has(root));
  }
}

const inputsOf = (placed: PlacedCall, value: CompiledValue, deps: KnownInputsDeps): KnownInputs => {
  const items = new ItemScopes(deps);
  if (!items.isKnown(value)) return FROM_STEPS;
  if (deps.left.work <= 0) return { reason: TOO_MUCH };
  if (!usesItem(value)) {
    const input = value.evaluate(deps.scope, items.spend);
    return { inputs: [input], isAll: true, isOne: true };
  }
  const scopes = items.of(repeaterOf(placed));
  if (!scopes) return LIST_FROM_STEPS;
  const inputs = new Map<string, unknown>();
  for (const scope of scopes) {
    if (deps.left.work <= 0) {
      items.isAll = false;
      break;
    }
    const input = value.evaluate(scope, items.spend);
    const digest = digestOf(input ?? null);
    if (inputs.size === MAX_INPUTS && !inputs.has(digest)) items.isAll = false;
    else inputs.set(digest, input);
  }
  return { inputs: [...inputs.values()], isAll: items.isAll, isOne: false };
};

/** Returns the inputs of a call, each once, or why they are not known. */
export const knownInputs = (placed: PlacedCall, deps: KnownInputsDeps): KnownInputs => {
  const value = callValue(placed, deps.program);
  if (value === undefined) return FROM_STEPS;
  try {
    return inputsOf(placed, value, deps);
  } catch {
    return NOT_THERE;
  }
};

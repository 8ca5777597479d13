/** Finds the faults of a flow that no single field shows: which members of a step go together. */
import type { FlowData, FlowDataStep, FlowFault } from '../../../contract/flow-data.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { actionsOf, MAX_GROUP_DEPTH, MAX_STEPS, STEP_ACTIONS } from '../flow-schema.ts';
import type { FlowPath } from '../step-tree.ts';

type Fault = Omit<FlowFault, 'line' | 'column'>;

/** Members that make sense only beside one of these actions. */
const ONLY_WITH: readonly (readonly [keyof FlowDataStep, readonly string[]])[] = [
  ['version', ['call']],
  ['input', ['call', 'flow']],
  ['details', ['approve']],
  ['kind', ['steps']],
];

const wrongMembers = (step: FlowDataStep, action: string): readonly string[] =>
  ONLY_WITH.flatMap(([member, actions]) =>
    step[member] === undefined || actions.includes(action)
      ? []
      : [`${member} belongs to ${actions.join(' or ')}, and this step has ${action}`],
  );

interface StepList {
  readonly path: FlowPath;
  readonly kind: string;
  readonly depth: number;
}

class ShapeCheck {
  readonly faults: Fault[] = [];
  /** False once steps were left out because there are too many, or too deep. */
  isWhole = true;
  #count = 0;

  steps(steps: readonly FlowDataStep[], { path, kind, depth }: StepList): void {
    if (depth > MAX_GROUP_DEPTH) {
      this.isWhole = false;
      this.#fault(path, `groups are nested deeper than ${MAX_GROUP_DEPTH} levels`);
      return;
    }
    for (const [index, step] of steps.entries()) {
      this.#count += 1;
      if (this.#count === MAX_STEPS + 1) {
        this.#fault([...path, index], `a flow has at most ${MAX_STEPS} steps`);
      }
      if (this.#count > MAX_STEPS) {
        this.isWhole = false;
        return;
      }
      this.#step(step, { path: [...path, index], kind, depth });
    }
    if (kind === 'conditional') this.#defaults(steps, path);
  }

  #step(step: FlowDataStep, { path, kind, depth }: StepList): void {
    const actions = actionsOf(step);
    const [action] = actions;
    if (action === undefined || actions.length > 1) {
      const what = actions.length === 0 ? 'says nothing to do' : `has ${actions.join(' and ')}`;
      this.#fault(path, `the step ${what}; give it one of ${STEP_ACTIONS.join(', ')}`);
    } else for (const message of wrongMembers(step, action)) this.#fault(path, message);
    if (step.after !== undefined && kind !== 'dag') {
      this.#fault([...path, 'after'], `after is for steps of a dag, and this is ${kind}`);
    }
    if (step.else !== undefined && step.when === undefined) {
      this.#fault([...path, 'else'], 'else needs a condition: add when');
    }
    if (step.else !== undefined && kind === 'conditional') {
      this.#fault([...path, 'else'], 'in a conditional group the next step is the alternative');
    }
    if (step.forEach && !isRecord(step.forEach.items) && !Array.isArray(step.forEach.items)) {
      const message = 'items has to be a list, { from: path } or { cel: expression }';
      this.#fault([...path, 'forEach', 'items'], message);
    }
    if (step.steps) {
      const { kind: inner = 'sequential' } = step;
      this.steps(step.steps, { path: [...path, 'steps'], kind: inner, depth: depth + 1 });
    }
  }

  /** The step without a condition is the last resort: what follows it can never run. */
  #defaults(steps: readonly FlowDataStep[], path: FlowPath): void {
    const first = steps.findIndex(({ when }) => when === undefined);
    if (first === -1) return;
    for (let at = first + 1; at < steps.length; at += 1) {
      const { id } = steps[at] as FlowDataStep;
      const before = steps[first]?.id;
      this.#fault([...path, at], `${id} cannot be reached: ${before} has no condition`);
    }
  }

  #fault(path: FlowPath, message: string): void {
    this.faults.push({ path, message, severity: 'error' });
  }
}

/** Returns the faults, and whether all steps were looked at. */
export const checkShape = ({
  steps,
  kind = 'sequential',
}: FlowData): Pick<ShapeCheck, 'faults' | 'isWhole'> => {
  const check = new ShapeCheck();
  check.steps(steps, { path: ['steps'], kind, depth: 1 });
  return check;
};

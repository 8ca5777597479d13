/** What the steps of a running group see, and the part of their keys that tells its rounds and items apart. */
import { noSteps, type ScopeCaller, type StepOutput, type ValueScope } from '../../values/scope.ts';

export class RunScope implements ValueScope {
  readonly input: unknown;
  readonly caller: ScopeCaller;
  readonly steps: Record<string, StepOutput>;
  declare readonly item?: unknown;
  /** Follows the id of each step in its key. */
  readonly suffix: string;
  /** The part of the suffix that names items, as plans do; rounds of groups are no part of it. */
  readonly items: string;
  /** In a pipeline: what the step before returned. */
  previous: unknown;
  readonly #parent: RunScope | undefined;
  #isStopped = false;

  constructor(
    facts: Pick<ValueScope, 'input' | 'caller'>,
    steps: Record<string, StepOutput> = noSteps(),
    from?: { readonly parent: RunScope; readonly suffix: string; readonly items?: string },
  ) {
    this.input = facts.input;
    this.caller = facts.caller;
    this.steps = steps;
    this.suffix = from?.suffix ?? '';
    this.items = from?.items ?? from?.parent.items ?? '';
    this.previous = from ? from.parent.previous : facts.input;
    this.#parent = from?.parent;
    if (from && Object.hasOwn(from.parent, 'item')) this.item = from.parent.item;
  }

  /** True once a step failed that nobody recovered from: no further step begins. */
  get isStopped(): boolean {
    return this.#isStopped || (this.#parent?.isStopped ?? false);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** A scope for the steps of a group; what they return stays in it. */
  inner(suffix: string): RunScope {
    return new RunScope(this, Object.assign(noSteps(), this.steps), {
      ...{ parent: this, suffix: this.suffix + suffix },
    });
  }

  /** A scope for one item of a list. Shares the steps: an item adds none. */
  forItem(item: unknown, index: number): RunScope {
    const scope = new RunScope(this, this.steps, {
      ...{ parent: this, suffix: `${this.suffix}.i${index}`, items: `${this.items}.i${index}` },
    });
    (scope as { item?: unknown }).item = item;
    return scope;
  }

  /** A scope in which a step sees what it has just returned itself. */
  withOwn(id: string, output: StepOutput): RunScope {
    const own = this.inner('');
    own.steps[id] = output;
    return own;
  }
}

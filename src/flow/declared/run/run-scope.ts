/** What the steps of a running group see, and the part of their keys that tells its rounds and items apart. */
import { setMaxListeners } from 'node:events';
import { noSteps, type ScopeCaller, type StepOutput, type ValueScope } from '../../values/scope.ts';
import type { StepNode } from '../step-tree.ts';

export class RunScope implements ValueScope {
  readonly input: unknown;
  readonly caller: ScopeCaller;
  readonly steps: Record<string, StepOutput>;
  declare readonly item?: unknown;
  /** Follows the id of each step in its key. */
  readonly suffix: string;
  /** The part of the suffix that names items, as plans do; rounds of groups are no part of it. */
  readonly items: string;
  /** Names the tries that a person asked for: what they call is called anew. */
  readonly asked: string;
  /** A group around may be tried again: what has succeeded in it has to be known then. */
  readonly mayRunAgain: boolean;
  /** What the step before returned in the innermost pipeline around, or else the input of the flow. */
  previous: unknown;
  readonly #parent: RunScope | undefined;
  #isStopped = false;
  readonly #startedFlows = new Set<StepNode>();
  /** Of a scope that can be stopped by itself; others share that of their parent. */
  #controller: AbortController | undefined;
  #unlink: (() => void) | undefined;

  constructor(
    facts: Pick<ValueScope, 'input' | 'caller'>,
    steps: Record<string, StepOutput> = noSteps(),
    from?: {
      readonly parent: RunScope;
      readonly suffix: string;
      readonly items?: string;
      readonly asked?: string;
      readonly mayRunAgain?: boolean;
    },
  ) {
    this.input = facts.input;
    this.caller = facts.caller;
    this.steps = steps;
    this.suffix = from?.suffix ?? '';
    this.items = from?.items ?? from?.parent.items ?? '';
    this.asked = from?.asked ?? from?.parent.asked ?? '';
    this.mayRunAgain = (from?.mayRunAgain || from?.parent.mayRunAgain) ?? false;
    this.previous = from ? from.parent.previous : facts.input;
    this.#parent = from?.parent;
    if (from && Object.hasOwn(from.parent, 'item')) this.item = from.parent.item;
  }

  /** True once a step failed that nobody recovered from: no further step begins. */
  get isStopped(): boolean {
    return this.#isStopped || (this.#parent?.isStopped ?? false);
  }

  /** The steps in it that have started another flow. */
  get startedFlows(): ReadonlySet<StepNode> {
    return this.#startedFlows;
  }

  noteFlow(node: StepNode): void {
    this.#startedFlows.add(node);
    this.#parent?.noteFlow(node);
  }

  /** Cancels the steps under way in this scope; no further one begins. */
  stop(): void {
    this.#isStopped = true;
    this.#controller?.abort();
    this.close();
  }

  /** Fires when this scope, or one around it, is stopped. */
  get signal(): AbortSignal | undefined {
    return this.#controller?.signal ?? this.#parent?.signal;
  }

  /** Shares all with this scope, and can be stopped by itself. */
  branch(): RunScope {
    const branch = new RunScope(this, this.steps, { parent: this, suffix: this.suffix });
    return branch.#stoppable();
  }

  /** Forgets the scope around it, once its steps are over. */
  close(): void {
    this.#unlink?.();
    this.#unlink = undefined;
  }

  #stoppable(): RunScope {
    const controller = new AbortController();
    // Each step under way listens to it.
    setMaxListeners(0, controller.signal);
    const outer = this.#parent?.signal;
    this.#controller = controller;
    const abort = (): void => controller.abort();
    if (outer?.aborted) abort();
    outer?.addEventListener('abort', abort, { once: true });
    this.#unlink = () => outer?.removeEventListener('abort', abort);
    return this;
  }

  /** A scope for the steps of a group; what they return stays in it. */
  inner(suffix: string, mayRunAgain: boolean): RunScope {
    return this.#copy(suffix, mayRunAgain).#stoppable();
  }

  #copy(suffix: string, mayRunAgain: boolean): RunScope {
    return new RunScope(this, Object.assign(noSteps(), this.steps), {
      parent: this,
      suffix: this.suffix + suffix,
      mayRunAgain,
    });
  }

  /** A scope for one item of a list. Shares the steps: an item adds none. */
  forItem(item: unknown, index: number): RunScope {
    const scope = new RunScope(this, this.steps, {
      parent: this,
      suffix: `${this.suffix}.i${index}`,
      items: `${this.items}.i${index}`,
    });
    (scope as { item?: unknown }).item = item;
    return scope;
  }

  /** A scope for a try of a step that a person asked for. Shares the steps. */
  forAsked(id: string, asked: number): RunScope {
    if (asked === 0) return this;
    return new RunScope(this, this.steps, {
      parent: this,
      suffix: this.suffix,
      asked: `${this.asked}.${id}-ask${asked}`,
    });
  }

  /** A scope in which a step sees what it has just returned itself. */
  withOwn(id: string, output: StepOutput): RunScope {
    const own = this.#copy('', false);
    own.steps[id] = output;
    return own;
  }
}

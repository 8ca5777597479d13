/** Starts each step of a group when its predecessors are over; the failure of the group cancels the rest. */
import { cancelledStep } from '../../turn.ts';
import type { StepGroup, StepNode } from '../step-tree.ts';
import { failedWith, type Outcome, stepOutput } from './outcome.ts';
import type { RunScope } from './run-scope.ts';

export interface GroupRunDeps {
  /** The first failure ends the group; otherwise what does not depend on it goes on. */
  readonly stopsAtFailure: boolean;
  /** Runs a step, given how its predecessors ended. Never rejects. */
  node(node: StepNode, before: readonly Outcome[]): Promise<Outcome>;
}

export class GroupRun {
  readonly #group: StepGroup;
  readonly #scope: RunScope;
  readonly #deps: GroupRunDeps;
  readonly #outcomes = new Map<StepNode, Outcome>();
  readonly #waitsFor: Map<StepNode, number>;
  #running = 0;
  /** The failure that ended the group; those after it are of steps that were cancelled. */
  #failure: Outcome | undefined = undefined;
  #end: ((failure: Outcome | undefined) => void) | undefined;

  constructor(group: StepGroup, scope: RunScope, deps: GroupRunDeps) {
    this.#group = group;
    this.#scope = scope;
    this.#deps = deps;
    this.#waitsFor = new Map(group.nodes.map((node) => [node, node.before.length]));
  }

  /** Resolves when all steps are over, or with the failure that ended the group. */
  over(): Promise<Outcome | undefined> {
    return new Promise((resolve) => {
      this.#end = resolve;
      for (const node of this.#group.nodes) if (node.before.length === 0) void this.#start(node);
    });
  }

  outcomeOf(node: StepNode): Outcome {
    const outcome = this.#outcomes.get(node);
    return outcome ?? { status: 'skipped', because: 'it was not reached', reason: 'predecessor' };
  }

  all(): readonly Outcome[] {
    return this.#group.nodes.map((node) => this.outcomeOf(node));
  }

  async #start(node: StepNode): Promise<void> {
    const before = node.before.map((each) => this.outcomeOf(each));
    this.#running += 1;
    const outcome = await this.#deps.node(node, before);
    this.#running -= 1;
    this.#outcomes.set(node, outcome);
    this.#scope.steps[node.step.id] = stepOutput(outcome);
    const isPiped = this.#group.kind === 'pipeline' && outcome.status === 'done';
    if (isPiped) this.#scope.previous = outcome.data;
    if (outcome.status === 'failed' && (outcome.aborts || this.#deps.stopsAtFailure)) {
      this.#failure ??= outcome;
      this.#scope.stop();
    }
    if (this.#scope.isStopped) {
      // The others were cancelled: the group is over when they are.
      if (this.#running === 0) this.#end?.(this.#failure ?? failedWith(cancelledStep()));
      return;
    }
    for (const next of node.after) this.#ready(next);
    if (this.#outcomes.size === this.#group.nodes.length) this.#end?.(undefined);
  }

  #ready(node: StepNode): void {
    const left = (this.#waitsFor.get(node) ?? 0) - 1;
    this.#waitsFor.set(node, left);
    if (left === 0) void this.#start(node);
  }
}

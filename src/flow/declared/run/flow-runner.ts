/**
 * Runs the steps of a flow as data on the journal. The id of a step is its key there, so that a replay
 * knows each step again, in whatever order they are made.
 */
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import type { FlowContext } from '../../../contract/flow.ts';
import type { FlowDataStep } from '../../../contract/flow-data.ts';
import { RUN_LIMIT_KEY, stepLimitKey } from '../../../contract/flow-view.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { thrownError } from '../../../pipeline/record/thrown-error.ts';
import { DEFINITION_KEY } from '../../divergence.ts';
import { evaluateTest } from '../../values/compile-expression.ts';
import { scopeCaller } from '../../values/scope.ts';
import type { CompiledStep, FlowProgram } from '../flow-program.ts';
import type { StepGroup, StepNode } from '../step-tree.ts';
import { GroupRun } from './group-run.ts';
import { runItems } from './item-run.ts';
import { Limiter } from './limiter.ts';
import {
  assertDone,
  done,
  failedWith,
  isCancelled,
  joinError,
  joinHolds,
  notAgain,
  type Outcome,
  stepOutput,
  unmetBecause,
} from './outcome.ts';
import { onlyReadsIn } from './reading-steps.ts';
import { RunScope } from './run-scope.ts';
import { mayBeTriedAgain, recoverStep } from './step-recovery.ts';
import { type FlowRunDeps, type StepRun, StepWork, signalOf } from './step-work.ts';

const MAX_CONCURRENCY = 16;

export class FlowRunner {
  readonly #program: FlowProgram;
  readonly #flow: FlowContext;
  readonly #deps: FlowRunDeps;
  readonly #work: StepWork;

  constructor(program: FlowProgram, flow: FlowContext, deps: FlowRunDeps) {
    this.#program = program;
    this.#flow = flow;
    this.#deps = deps;
    const { limits = {} } = program.flow;
    const limiter = new Limiter(limits.maxConcurrency ?? MAX_CONCURRENCY);
    this.#work = new StepWork({ ...deps, flow, limits, limiter });
  }

  /** Runs the flow to its output. Rejects with the error of the run. */
  async run(input: unknown, digest: string): Promise<unknown> {
    const { limits = {} } = this.#program.flow;
    // Other data under the same version blocks the run: its steps were begun by another flow.
    await this.#flow.value(`flow ${digest}`, () => null, { key: DEFINITION_KEY });
    const caller = scopeCaller(this.#flow.caller);
    const scope = new RunScope({ input, caller }).branch();
    if (limits.timeoutMs === undefined) return this.#main(scope);
    const timer = this.#flow.sleep(limits.timeoutMs, { key: RUN_LIMIT_KEY }).then(() => {
      scope.stop();
      throw new ToolFailure('TIMEOUT', `The run took longer than ${limits.timeoutMs} ms.`);
    });
    return Promise.race([this.#main(scope), timer]);
  }

  async #main(scope: RunScope): Promise<unknown> {
    const { tree, flow, join, output } = this.#program;
    const outcome = await this.#group(tree.root, scope, { join: flow.join, custom: join });
    if (outcome.status === 'failed') this.#flow.cancelCalls();
    const data = assertDone(outcome);
    return output ? output.evaluate(scope) : data;
  }

  async #group(
    group: StepGroup,
    scope: RunScope,
    joined: Pick<Parameters<typeof joinHolds>[1], 'join' | 'custom'>,
  ): Promise<Outcome> {
    if (group.kind === 'conditional') return this.#conditional(group, scope);
    const stopsAtFailure = (this.#program.flow.onFailure ?? 'stop') === 'stop';
    const run = new GroupRun(group, scope, {
      stopsAtFailure,
      node: (node, before) => this.#node(node, scope, before),
    });
    const failure = await run.over();
    if (failure) return failure;
    const exits = group.exits.map((node) => run.outcomeOf(node));
    if (!joinHolds(exits, { ...joined, scope })) return failedWith(joinError(run.all()));
    if (group.kind === 'pipeline') return done(scope.previous);
    const [only, ...others] = group.exits;
    if (only && others.length === 0) return done(dataOf(run.outcomeOf(only)));
    return done(
      Object.fromEntries(
        group.exits
          .map((node) => [node.step.id, run.outcomeOf(node)] as const)
          .filter(([, outcome]) => outcome.status === 'done')
          .map(([id, outcome]) => [id, dataOf(outcome)]),
      ),
    );
  }

  /** Runs the first step whose condition holds; the others are skipped. */
  async #conditional({ nodes }: StepGroup, scope: RunScope): Promise<Outcome> {
    let chosen: StepNode | undefined;
    for (const node of nodes) {
      const { when } = this.#compiled(node);
      let isFit = false;
      try {
        isFit = !chosen && (!when || evaluateTest(when, scope));
      } catch (thrown) {
        return this.#note(node, scope, failedWith(thrownError(thrown)));
      }
      if (isFit) chosen = node;
      else {
        const because = chosen ? `${chosen.step.id} was chosen` : 'its condition does not hold';
        const skipped: Outcome = { status: 'skipped', because, reason: 'condition' };
        scope.steps[node.step.id] = stepOutput(await this.#skip(node, scope, skipped));
      }
    }
    if (!chosen) return failedWith(toolError('NO_BRANCH_MATCHED', 'No step of the group fits.'));
    const outcome = await this.#settled(chosen, scope, this.#started(chosen, scope));
    scope.steps[chosen.step.id] = stepOutput(outcome);
    return outcome.status === 'skipped' ? done(null) : outcome;
  }

  /** Runs one step, or skips it. Never rejects: what is thrown fails the step. */
  #node(node: StepNode, scope: RunScope, before: readonly Outcome[]): Promise<Outcome> {
    return this.#settled(node, scope, this.#joined(node, scope, before));
  }

  async #settled(node: StepNode, scope: RunScope, work: Promise<Outcome>): Promise<Outcome> {
    try {
      return await work;
    } catch (thrown) {
      return this.#note(node, scope, failedWith(thrownError(thrown)));
    }
  }

  async #joined(node: StepNode, scope: RunScope, before: readonly Outcome[]): Promise<Outcome> {
    const { step } = node;
    const { join: custom, when } = this.#compiled(node);
    if (before.length > 0 && !joinHolds(before, { join: step.join, custom, scope })) {
      const names = node.before.map((each, at) => [each.step.id, before[at]] as const);
      const because = unmetBecause(names);
      return this.#skip(node, scope, { status: 'skipped', because, reason: 'predecessor' });
    }
    if (when && !evaluateTest(when, scope)) return this.#otherwise(node, scope);
    return this.#started(node, scope);
  }

  async #otherwise(node: StepNode, scope: RunScope): Promise<Outcome> {
    const { otherwise } = this.#compiled(node);
    const because = 'its condition does not hold';
    if (otherwise) {
      const key = `${node.step.id}${scope.suffix}.else`;
      const place = `${node.step.id}${scope.items}.else`;
      const { timeoutMs } = node.step;
      return done(await this.#work.call(otherwise, { key, place, scope, timeoutMs }));
    }
    if (node.step.else === 'fail') {
      const message = `The condition of ${node.step.id} does not hold.`;
      return this.#note(node, scope, failedWith(toolError('PRECONDITION_FAILED', message)));
    }
    return this.#skip(node, scope, { status: 'skipped', because, reason: 'condition' });
  }

  /** Runs the step itself, or once for each item. */
  async #started(node: StepNode, scope: RunScope): Promise<Outcome> {
    const { step } = node;
    const { items } = this.#compiled(node);
    const outcome =
      step.forEach && items
        ? await runItems(step, scope, {
            items: items.evaluate(scope),
            run: (itemScope) => this.#recovered(node, itemScope),
          })
        : await this.#recovered(node, scope);
    const isTold = outcome.status === 'done' && !step.forEach && !step.steps && !step.output;
    return isTold ? outcome : this.#note(node, scope, outcome);
  }

  #recovered(node: StepNode, scope: RunScope): Promise<Outcome> {
    const { step } = node;
    const { fallback } = this.#compiled(node);
    const key = `${step.id}${scope.suffix}`;
    return recoverStep(step, key, {
      flow: this.#flow,
      options: signalOf(scope),
      isStopped: () => scope.isStopped,
      attempt: (round, asked) =>
        this.#transformed(node, scope.forAsked(step.id, asked), { key, round }),
      ...(fallback && {
        fallback: (error) => {
          const own = scope.withOwn(step.id, stepOutput(failedWith(error)));
          const place = `${step.id}${scope.items}.fallback`;
          const made = { key: `${key}.fallback`, place, scope: own, timeoutMs: step.timeoutMs };
          return this.#work.call(fallback, made);
        },
      }),
    });
  }

  async #transformed(
    node: StepNode,
    scope: RunScope,
    { key, round }: { readonly key: string; readonly round: number },
  ): Promise<Outcome> {
    const { output } = this.#compiled(node);
    const again = round === 1 ? '' : `.try${round}`;
    if (node.inner) {
      const suffix = round === 1 ? '' : `.${node.step.id}-${round}`;
      const inner = scope.inner(suffix, mayBeTriedAgain(node.step));
      const outcome = await this.#timed(node, { key: key + again, scope: inner }, () =>
        this.#group(node.inner as StepGroup, inner, { join: undefined, custom: undefined }),
      );
      inner.close();
      if (outcome.status === 'failed') {
        // A flow that it has run would run again; calls have keys that keep theirs from happening twice.
        const { startedFlows } = inner;
        const isAgain = !outcome.error.retryable || startedFlows.size === 0;
        const mayRepeat = isAgain || (await this.#onlyReads(startedFlows, key + again));
        return mayRepeat ? outcome : notAgain(outcome);
      }
      if (outcome.status !== 'done' || !output) return outcome;
      return done(output.evaluate(inner.withOwn(node.step.id, stepOutput(outcome))));
    }
    const data = await this.#once(node, scope, key + again);
    if (!output) return done(data);
    return done(output.evaluate(scope.withOwn(node.step.id, stepOutput(done(data)))));
  }

  #once(node: StepNode, scope: RunScope, key: string): Promise<unknown> {
    const { step, group } = node;
    const compiled = this.#compiled(node);
    const { timeoutMs } = step;
    const piped = group.kind === 'pipeline' ? { piped: scope.previous } : {};
    const planned = `${step.id}${scope.items}`;
    const place: StepRun = { key, place: planned, scope, timeoutMs, ...piped };
    switch (node.type) {
      case 'flow':
        return this.#limited(node, place, (within) => this.#subFlow(node, within)).finally(() =>
          scope.noteFlow(node),
        );
      case 'approve': {
        const details = compiled.details?.evaluate(scope);
        return this.#limited(node, place, (within) =>
          this.#work.approve(step.approve ?? '', details, within),
        );
      }
      case 'sleep':
        return this.#limited(node, place, (within) =>
          this.#flow.sleep(step.sleepMs ?? 0, { key, ...signalOf(within.scope) }),
        );
      case 'wait': {
        const options = { key, ...signalOf(scope), ...(timeoutMs !== undefined && { timeoutMs }) };
        return this.#flow.waitForEvent(step.waitFor ?? '', options);
      }
      default: {
        const { call = '', version } = step;
        const named = { call, ...(version !== undefined && { version }) };
        // Its `output` may fail when the call has succeeded.
        const mayFailYet = step.output !== undefined && mayBeTriedAgain(step);
        const mayRunAgain = mayFailYet || scope.mayRunAgain;
        return this.#work.call({ call: named, input: compiled.input }, { ...place, mayRunAgain });
      }
    }
  }

  /** Runs a flow, unless it has done so before a person had the group tried again, and changes something. */
  async #subFlow(node: StepNode, run: StepRun): Promise<unknown> {
    const isAnew = run.scope.asked === '' || (await this.#onlyReads([node], `${run.key}.asked`));
    return this.#work.subFlow(node.step.flow ?? '', this.#compiled(node), { ...run, isAnew });
  }

  /** Runs what is one step of the journal in a scope of its own, which the timeout stops. */
  async #limited(
    node: StepNode,
    place: StepRun,
    work: (within: StepRun) => Promise<unknown>,
  ): Promise<unknown> {
    if (node.step.timeoutMs === undefined) return work(place);
    const scope = place.scope.branch();
    try {
      return await this.#timed(node, { key: place.key, scope }, () => work({ ...place, scope }));
    } finally {
      scope.close();
    }
  }

  /**
   * Ends a step in time that is no call, and cancels what it does; calls have their own timeout. It is
   * tried again only where all of it reads: a call of it may have changed something.
   */
  async #timed<T>(
    node: StepNode,
    { key, scope }: Pick<StepRun, 'key' | 'scope'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const { id, timeoutMs } = node.step;
    if (timeoutMs === undefined) return work();
    const message = `The step ${id} took longer than ${timeoutMs} ms.`;
    const timeout = new ToolFailure('TIMEOUT', message);
    const timer = this.#flow.sleep(timeoutMs, { key: stepLimitKey(key) }).then(() => {
      scope.stop();
      throw timeout;
    });
    try {
      return await Promise.race([work(), timer]);
    } catch (thrown) {
      if (thrown !== timeout || (await this.#onlyReads([node], key))) throw thrown;
      throw new ToolFailure('TIMEOUT', message, { retryable: false });
    }
  }

  /**
   * Tells whether all calls of some steps only read. The verdict is put on record: a replay decides alike
   * where the tools of a server are not loaded yet.
   */
  #onlyReads(nodes: Iterable<StepNode>, key: string): Promise<boolean> {
    return this.#flow.value('reads', () => onlyReadsIn(nodes, this.#deps), {
      key: `${key}.reads`,
    });
  }

  #skip(node: StepNode, scope: RunScope, skipped: Outcome): Promise<Outcome> {
    return this.#note(node, scope, skipped);
  }

  /** Writes down how a step ended whose end no single row of the journal shows. */
  async #note(node: StepNode, scope: RunScope, outcome: Outcome): Promise<Outcome> {
    // Not for each of ten thousand items: their own rows say it, and so do those of cancelled steps.
    if (scope.items !== '' || isCancelled(outcome)) return outcome;
    const key = `${node.step.id}.end${scope.suffix}`;
    await this.#flow.value('end', () => noteOf(outcome, node.step), { key });
    return outcome;
  }

  #compiled(node: StepNode): CompiledStep {
    return this.#program.steps.get(node) ?? {};
  }
}

const dataOf = (outcome: Outcome): unknown => (outcome.status === 'done' ? outcome.data : null);

/** What the journal keeps of the end of a step; see `nodeStates`. */
const noteOf = (outcome: Outcome, { forEach, output }: FlowDataStep) => {
  if (outcome.status === 'skipped') return { status: 'skipped', because: outcome.because };
  if (outcome.status === 'failed') return { status: 'failed', error: outcome.error };
  const { data } = outcome;
  const items = forEach && isRecord(data) && { done: data.done, failed: data.failed };
  // What `output` made of the result is in no other row.
  return { status: 'done', ...(items && { items }), ...(output !== undefined && { data }) };
};

/**
 * Runs the tool as often as it takes and is safe: circuit breaker, bulkheads, deadline, retries,
 * and what the tool says should happen when all of that was not enough.
 */
import type { Call, Next } from '../../contract/call.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ApprovalDesk } from '../approval-desk.ts';
import type { Deadline, Deadlines } from '../deadlines.ts';
import { failed } from '../outcome.ts';
import { start } from '../pipeline.ts';
import type { CircuitBreaker } from '../recovery/breaker.ts';
import type { Bulkhead } from '../recovery/bulkhead.ts';
import type { ToolGuards } from '../recovery/guards.ts';
import { type RescueDeps, rescue } from '../recovery/rescue.ts';
import { tryAgain } from '../recovery/try-again.ts';
import type { ToolSettings } from '../tool-settings.ts';

export interface RecoverDeps extends Omit<RescueDeps, 'desk'> {
  readonly runtime: Runtime;
  readonly events: Events;
  readonly deadlines: Deadlines;
  readonly desk: ApprovalDesk;
  settingsOf(tool: Tool): ToolSettings;
  guardsOf(tool: Tool): ToolGuards;
}

type Ready = Call<'ready' | 'input' | 'grant' | 'budget'>;

/** Failures that say something about the health of the tool, not about the caller or the input. */
const UNHEALTHY = new Set<ToolError['type']>(['execution', 'timeout', 'network', 'dependency']);

const refuseOpen = (
  call: Ready,
  breakers: readonly CircuitBreaker[],
  runtime: Runtime,
): ToolResult | undefined => {
  for (let i = 0; i < breakers.length; i++) {
    const breaker = breakers[i];
    if (!breaker || breaker.untroubled || breaker.admits(runtime.now())) continue;
    // The ones before gave this call their probe: take it back.
    for (const earlier of breakers.slice(0, i)) earlier.abstained();
    const retryAfterMs = breaker.restMs(runtime.now());
    return failed(call, 'CIRCUIT_OPEN', {
      retryAfterMs,
      suggestions: [`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`],
    });
  }
  return undefined;
};

const tellBreakers = (call: Ready, result: ToolResult, deps: RecoverDeps): void => {
  const tool = call.ready.tool.name;
  for (const breaker of deps.guardsOf(call.ready.tool).breakers) {
    if (result.success) {
      if (breaker.untroubled) continue;
      if (breaker.succeeded()) deps.events.emit('circuit.closed', { tool });
    } else if (result.error && UNHEALTHY.has(result.error.type) && result.status !== 'cancelled') {
      if (breaker.failed(deps.runtime.now())) deps.events.emit('circuit.opened', { tool });
    } else breaker.abstained();
  }
};

/** Waits for a place in every bulkhead from `index` on; leaves those entered before if it must. */
const waitInLine = async (
  call: Ready,
  bulkheads: readonly Bulkhead[],
  index: number,
): Promise<ToolResult | undefined> => {
  for (let i = index; i < bulkheads.length; i++) {
    const outcome = await bulkheads[i]?.enter(call.control);
    if (outcome === 'entered') continue;
    for (const entered of bulkheads.slice(0, i)) entered.leave();
    if (outcome === 'aborted') return failed(call, call.control.reason ?? 'CANCELLED');
    return failed(call, 'RATE_LIMITED', {
      message: 'Too many calls are running and waiting already.',
      suggestions: ['Call again when some of them are done.'],
    });
  }
  return undefined;
};

/** Enters every bulkhead, at once where there is room. Answers with a refusal when it cannot. */
const enterAll = (
  call: Ready,
  bulkheads: readonly Bulkhead[],
): Promise<ToolResult | undefined> | undefined => {
  for (let i = 0; i < bulkheads.length; i++) {
    if (!bulkheads[i]?.tryEnter()) return waitInLine(call, bulkheads, i);
  }
  return undefined;
};

const timeoutFor = (call: Ready, settings: ToolSettings): number =>
  Math.min(call.options.timeoutMs ?? settings.timeoutMs, settings.timeoutMs);

/** A call that no breaker refused: what it holds until it is over, and gives back in any case. */
class Passage {
  readonly #call: Ready;
  readonly #next: Next<Ready>;
  readonly #deps: RecoverDeps;
  readonly #bulkheads: readonly Bulkhead[];
  readonly #deadline: Deadline;

  constructor(call: Ready, next: Next<Ready>, deps: RecoverDeps) {
    const { control } = call;
    const { tool } = call.ready;
    const guards = deps.guardsOf(tool);
    this.#call = call;
    this.#next = next;
    this.#deps = deps;
    this.#bulkheads = call.parent ? guards.bulkheads : guards.bulkheadsAndAll;
    const timeoutMs = timeoutFor(call, deps.settingsOf(tool));
    this.#deadline = deps.deadlines.after(timeoutMs, () => control.abort('TIMEOUT'));
  }

  begin(): Promise<ToolResult> {
    const entering = enterAll(this.#call, this.#bulkheads);
    if (!entering) return this.#run();
    return entering.then(
      (refused) => (refused ? this.#turnedAway(refused) : this.#run()),
      (error: unknown) => this.#learntNothing(error),
    );
  }

  #run(): Promise<ToolResult> {
    this.#call.notes.attempts = 1;
    return start(this.#call, this.#next).then(
      (result) => this.#tried(result),
      (error: unknown) => this.#broke(error),
    );
  }

  #tried(result: ToolResult): ToolResult | Promise<ToolResult> {
    if (result.success || this.#call.control.aborted) return this.#over(result);
    return tryAgain(this.#call, this.#next, { result, deps: this.#deps }).then(
      (last) => this.#over(last),
      (error: unknown) => this.#broke(error),
    );
  }

  #over(result: ToolResult): ToolResult | Promise<ToolResult> {
    this.#leave();
    this.#deadline.cancel();
    tellBreakers(this.#call, result, this.#deps);
    return result.success ? result : rescue(this.#call, result, this.#deps);
  }

  #turnedAway(refused: ToolResult): ToolResult {
    this.#deadline.cancel();
    this.#abstain();
    return refused;
  }

  #broke(error: unknown): never {
    this.#leave();
    return this.#learntNothing(error);
  }

  #learntNothing(error: unknown): never {
    this.#deadline.cancel();
    this.#abstain();
    throw error;
  }

  #leave(): void {
    for (const bulkhead of this.#bulkheads) bulkhead.leave();
  }

  /** Nothing was learnt about the tool: a probe it was given goes to the next call. */
  #abstain(): void {
    const { breakers } = this.#deps.guardsOf(this.#call.ready.tool);
    for (const breaker of breakers) breaker.abstained();
  }
}

export const recover = (deps: RecoverDeps): Stage<'ready' | 'input' | 'grant' | 'budget'> =>
  function recover(call, next) {
    if (call.options.dryRun) return next(call);
    const { breakers } = deps.guardsOf(call.ready.tool);
    const refused = refuseOpen(call, breakers, deps.runtime);
    return refused ? rescue(call, refused, deps) : new Passage(call, next, deps).begin();
  };

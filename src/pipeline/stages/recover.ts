/**
 * Runs the tool as often as it takes and is safe: circuit breaker, bulkheads, deadline, retries,
 * and what the tool says should happen when all of that was not enough.
 */
import type { Call, Next } from '../../contract/call.ts';
import type { Events } from '../../contract/events.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ApprovalDesk } from '../approval/approval-service.ts';
import { failed } from '../outcome.ts';
import { start } from '../pipeline.ts';
import type { CircuitBreaker } from '../recovery/breaker.ts';
import type { Bulkhead } from '../recovery/bulkhead.ts';
import type { Deadline, Deadlines } from '../recovery/deadlines.ts';
import type { ToolGuards } from '../recovery/guards.ts';
import { type RescueDeps, rescue } from '../recovery/rescue.ts';
import { tryAgain } from '../recovery/try-again.ts';
import { whoseFault } from '../recovery/whose-fault.ts';
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

/** Those of the tool and its server, and the caller's own where it has failed before. */
const breakersOf = (call: Ready, { breakers, callers }: ToolGuards): readonly CircuitBreaker[] => {
  const own = callers?.of(call.caller.userId);
  return own ? [...breakers, own] : breakers;
};

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

const tellSuccess = (call: Ready, deps: RecoverDeps): void => {
  const { breakers, callers } = deps.guardsOf(call.ready.tool);
  let isClosed = callers?.succeeded(call.caller.userId) ?? false;
  for (const breaker of breakers) {
    if (!breaker.untroubled && breaker.succeeded()) isClosed = true;
  }
  if (isClosed) deps.events.emit('circuit.closed', { tool: call.ready.tool.name });
};

const tellBreakers = (call: Ready, result: ToolResult, deps: RecoverDeps): void => {
  if (result.success) {
    tellSuccess(call, deps);
    return;
  }
  const { breakers, callers } = deps.guardsOf(call.ready.tool);
  const { userId } = call.caller;
  const fault =
    result.error && result.status !== 'cancelled' ? whoseFault(result.error, call) : 'caller';
  const now = deps.runtime.now();
  let isOpened = false;
  for (const breaker of breakers) {
    if (fault !== 'tool') breaker.abstained();
    else if (breaker.failed(now)) isOpened = true;
  }
  if (fault !== 'unknown') callers?.of(userId)?.abstained();
  else if (callers?.failed(userId, now)) isOpened = true;
  if (isOpened) deps.events.emit('circuit.opened', { tool: call.ready.tool.name });
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
    const guards = this.#deps.guardsOf(this.#call.ready.tool);
    for (const breaker of breakersOf(this.#call, guards)) breaker.abstained();
  }
}

export const recover = (deps: RecoverDeps): Stage<'ready' | 'input' | 'grant' | 'budget'> =>
  function recover(call, next) {
    if (call.options.dryRun) return next(call);
    const breakers = breakersOf(call, deps.guardsOf(call.ready.tool));
    const refused = refuseOpen(call, breakers, deps.runtime);
    return refused ? rescue(call, refused, deps) : new Passage(call, next, deps).begin();
  };

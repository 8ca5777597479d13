/**
 * Runs the tool as often as it takes and is safe: circuit breaker, bulkheads, deadline, retries, and
 * the tool's own recovery when all of them fail.
 */
import type { Call, Next } from '../../contract/call.ts';
import type { Events } from '../../contract/events.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ApprovalService } from '../approval/approval-service.ts';
import { failed } from '../outcome.ts';
import type { CircuitBreaker } from '../recovery/breaker.ts';
import type { Bulkhead } from '../recovery/bulkhead.ts';
import type { Deadlines } from '../recovery/deadlines.ts';
import type { ToolGuards } from '../recovery/guards.ts';
import { type RescueDeps, rescue } from '../recovery/rescue.ts';
import { tryAgain } from '../recovery/try-again.ts';
import { whoseFault } from '../recovery/whose-fault.ts';
import type { ToolSettings } from '../tool-settings.ts';

export interface RecoverDeps extends Omit<RescueDeps, 'approvalService'> {
  readonly runtime: Runtime;
  readonly events: Events;
  readonly deadlines: Deadlines;
  readonly approvalService: ApprovalService;
  settingsOf(tool: Tool): ToolSettings;
  guardsOf(tool: Tool): ToolGuards;
}

type Ready = Call<'ready' | 'input' | 'grant' | 'budget'>;

/** Lists the breakers of the tool, its server, and the caller where it has failed before. */
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
    // The breakers before this one may have given the call their probe: return it.
    for (const earlier of breakers.slice(0, i)) earlier.abstained();
    const retryAfterMs = breaker.restMs(runtime.now());
    return failed(call, 'CIRCUIT_OPEN', {
      retryAfterMs,
      suggestions: [`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`],
    });
  }
  return undefined;
};

const reportSuccess = (call: Ready, deps: RecoverDeps): void => {
  const { breakers, callers } = deps.guardsOf(call.ready.tool);
  const { userId } = call.caller;
  // The clock is read only where something has failed, or a rate is counted.
  let isClosed = callers?.of(userId) ? callers.succeeded(userId, deps.runtime.now()) : false;
  for (const breaker of breakers) {
    if (!breaker.untroubled && breaker.succeeded(deps.runtime.now())) isClosed = true;
  }
  if (isClosed) deps.events.emit('circuit.closed', { tool: call.ready.tool.name });
};

const reportToBreakers = (call: Ready, result: ToolResult, deps: RecoverDeps): void => {
  if (result.success) {
    reportSuccess(call, deps);
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

/** Enters bulkheads in order while they have room. Returns how many were entered. */
const enterFree = (bulkheads: readonly Bulkhead[]): number => {
  let entered = 0;
  while (bulkheads[entered]?.tryEnter()) entered++;
  return entered;
};

const leaveAll = (bulkheads: readonly Bulkhead[]): void => {
  for (const bulkhead of bulkheads) bulkhead.leave();
};

/** Waits to enter the bulkheads from `index` on. Leaves all, and returns a refusal, when one is full. */
const enterRest = async (
  call: Ready,
  bulkheads: readonly Bulkhead[],
  index: number,
): Promise<ToolResult | undefined> => {
  for (let i = index; i < bulkheads.length; i++) {
    const outcome = await bulkheads[i]?.enter(call.control);
    if (outcome === 'entered') continue;
    leaveAll(bulkheads.slice(0, i));
    if (outcome === 'aborted') return failed(call, call.control.reason ?? 'CANCELLED');
    return failed(call, 'RATE_LIMITED', {
      message: 'Too many calls are running and waiting already.',
      suggestions: ['Call again when some of them are done.'],
    });
  }
  return undefined;
};

const timeoutFor = (call: Ready, settings: ToolSettings): number =>
  Math.min(call.options.timeoutMs ?? settings.timeoutMs, settings.timeoutMs);

/** Returns the probe of each breaker: the call has shown nothing about the tool, so the next one probes. */
const abstain = (call: Ready, guards: ToolGuards): void => {
  for (const breaker of breakersOf(call, guards)) breaker.abstained();
};

/** Runs a call that no breaker refused. Waits only where a bulkhead is full or the call failed. */
const runGuarded = async (
  call: Ready,
  next: Next<Ready>,
  deps: RecoverDeps,
): Promise<ToolResult> => {
  const { tool } = call.ready;
  const guards = deps.guardsOf(tool);
  const bulkheads = call.parent ? guards.bulkheads : guards.bulkheadsAndAll;
  const timeoutMs = timeoutFor(call, deps.settingsOf(tool));
  const deadline = deps.deadlines.after(timeoutMs, () => call.control.abort('TIMEOUT'));
  let hasEntered = false;
  let hasOutcome = false;
  let result: ToolResult;
  try {
    const entered = enterFree(bulkheads);
    if (entered < bulkheads.length) {
      const refused = await enterRest(call, bulkheads, entered);
      if (refused) return refused;
    }
    hasEntered = true;
    call.notes.attempts = 1;
    result = await next(call);
    if (!result.success && !call.control.aborted) {
      result = await tryAgain(call, next, { result, deps });
    }
    hasOutcome = true;
  } finally {
    if (hasEntered) leaveAll(bulkheads);
    deadline.cancel();
    if (!hasOutcome) abstain(call, guards);
  }
  reportToBreakers(call, result, deps);
  return result.success ? result : rescue(call, result, deps);
};

export const recover = (deps: RecoverDeps): Stage<'ready' | 'input' | 'grant' | 'budget'> =>
  function recover(call, next) {
    if (call.options.dryRun) return next(call);
    const breakers = breakersOf(call, deps.guardsOf(call.ready.tool));
    const refused = refuseOpen(call, breakers, deps.runtime);
    return refused ? rescue(call, refused, deps) : runGuarded(call, next, deps);
  };

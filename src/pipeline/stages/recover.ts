/**
 * Runs the tool behind circuit breakers, bulkheads and a deadline, retries it where that is safe, and falls
 * back on the tool's own recovery in the end.
 */
import type { Call, Next } from '../../contract/call.ts';
import type { Events } from '../../contract/events.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import { plainObjects } from '../../kit/data/plain-objects.ts';
import type { ApprovalService } from '../approval/approval-service.ts';
import { failed } from '../outcome.ts';
import type { CircuitBreaker } from '../recovery/breaker.ts';
import type { Bulkhead } from '../recovery/bulkhead.ts';
import type { Deadline, Deadlines } from '../recovery/deadlines.ts';
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
    // The breakers before this one may have admitted the call as their probe: give it back.
    for (const earlier of breakers.slice(0, i)) earlier.abstained();
    const retryAfterMs = breaker.restMs(runtime.now());
    return failed(call, 'CIRCUIT_OPEN', {
      retryAfterMs,
      suggestions: [`Try again in ${Math.ceil(retryAfterMs / 1000)} s.`],
    });
  }
  return undefined;
};

/** Announces a change of the circuit of the tool, or of the server that it shares with others. */
const announce = (
  event: 'circuit.opened' | 'circuit.closed',
  { name: tool, server }: Tool,
  { events, isShared }: { readonly events: Events; readonly isShared: boolean },
): void => {
  events.emit(event, { tool, ...(isShared && server !== undefined && { server }) });
};

const reportSuccess = (
  call: Ready,
  { breakers, serverBreaker, callers }: ToolGuards,
  { events, runtime }: RecoverDeps,
): void => {
  const { tool } = call.ready;
  const { userId } = call.caller;
  // The clock is read only where something has failed, or a rate is counted.
  if (callers?.of(userId) && callers.succeeded(userId, runtime.now())) {
    events.emit('circuit.closed', { tool: tool.name, userId });
  }
  for (const breaker of breakers) {
    if (breaker.untroubled || !breaker.succeeded(runtime.now())) continue;
    announce('circuit.closed', tool, { events, isShared: breaker === serverBreaker });
  }
};

const reportToBreakers = (call: Ready, result: ToolResult, deps: RecoverDeps): void => {
  if (result.success) {
    reportSuccess(call, deps.guardsOf(call.ready.tool), deps);
    return;
  }
  const { events } = deps;
  const { tool } = call.ready;
  const { breakers, serverBreaker, callers } = deps.guardsOf(tool);
  const { userId } = call.caller;
  const fault =
    result.error && result.status !== 'cancelled' ? whoseFault(result.error, call) : 'caller';
  const now = deps.runtime.now();
  for (const breaker of breakers) {
    const wasTripped = breaker.isTripped;
    if (fault !== 'tool') breaker.abstained();
    // A failed probe leaves the circuit open, so there is no change to announce.
    else if (breaker.failed(now) && !wasTripped) {
      announce('circuit.opened', tool, { events, isShared: breaker === serverBreaker });
    }
  }
  if (fault !== 'unknown') callers?.of(userId)?.abstained();
  else if (callers?.failed(userId, now)) events.emit('circuit.opened', { tool: tool.name, userId });
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

/** Frees the probe of each breaker: the call has shown nothing about the tool, so the next one may probe. */
const abstain = (call: Ready, guards: ToolGuards): void => {
  for (const breaker of breakersOf(call, guards)) breaker.abstained();
};

/** What a call holds while it runs. */
interface Held {
  readonly guards: ToolGuards;
  readonly bulkheads: readonly Bulkhead[];
  readonly deadline: Deadline;
  readonly deps: RecoverDeps;
}

const Holding = plainObjects<Held, [Ready, RecoverDeps]>(function (call, deps) {
  const { tool } = call.ready;
  this.guards = deps.guardsOf(tool);
  this.bulkheads = call.parent ? this.guards.bulkheads : this.guards.bulkheadsAndAll;
  const timeoutMs = timeoutFor(call, deps.settingsOf(tool));
  this.deadline = deps.deadlines.abortAfter(timeoutMs, call.control);
  this.deps = deps;
});

const release = ({ bulkheads, deadline }: Held): void => {
  leaveAll(bulkheads);
  deadline.cancel();
};

/** Tries a failed call again where that is safe, and lets the tool's own recovery answer in the end. */
const recoverFrom = async (
  call: Ready,
  first: ToolResult,
  { next, held }: { readonly next: Next<Ready>; readonly held: Held },
): Promise<ToolResult> => {
  const { deps, guards } = held;
  let result: ToolResult | undefined;
  try {
    result = call.control.aborted ? first : await tryAgain(call, next, { result: first, deps });
  } finally {
    release(held);
    if (!result) abstain(call, guards);
  }
  reportToBreakers(call, result, deps);
  return result.success ? result : rescue(call, result, deps);
};

/** Turns a throw of the next stage into a rejection. */
const start = (call: Ready, next: Next<Ready>): Promise<ToolResult> => {
  try {
    return next(call);
  } catch (error) {
    return Promise.reject(error);
  }
};

/** Runs a call that is in its bulkheads. Not an async function: its frame costs a call 0.1 µs more. */
const runEntered = (call: Ready, next: Next<Ready>, held: Held): Promise<ToolResult> => {
  call.notes.attempts = 1;
  return start(call, next).then(
    (result) => {
      if (!result.success) return recoverFrom(call, result, { next, held });
      release(held);
      reportSuccess(call, held.guards, held.deps);
      return result;
    },
    (error: unknown) => {
      release(held);
      abstain(call, held.guards);
      throw error;
    },
  );
};

/** Waits until the bulkheads have room. `entered` says how many the call is in already. */
const enterAndRun = async (
  call: Ready,
  next: Next<Ready>,
  { entered, ...held }: Held & { readonly entered: number },
): Promise<ToolResult> => {
  const refused = await enterRest(call, held.bulkheads, entered);
  if (!refused) return runEntered(call, next, held);
  held.deadline.cancel();
  abstain(call, held.guards);
  return refused;
};

/** Runs a call that no breaker refused. */
const runGuarded = (call: Ready, next: Next<Ready>, deps: RecoverDeps): Promise<ToolResult> => {
  const held = new Holding(call, deps);
  const entered = enterFree(held.bulkheads);
  return entered < held.bulkheads.length
    ? enterAndRun(call, next, { ...held, entered })
    : runEntered(call, next, held);
};

export const recover = (deps: RecoverDeps): Stage<'ready' | 'input' | 'grant' | 'budget'> =>
  function recover(call, next) {
    if (call.options.dryRun) return next(call);
    const breakers = breakersOf(call, deps.guardsOf(call.ready.tool));
    const refused = refuseOpen(call, breakers, deps.runtime);
    return refused ? rescue(call, refused, deps) : runGuarded(call, next, deps);
  };

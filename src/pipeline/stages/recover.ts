/**
 * Runs the tool as often as it takes and is safe: circuit breaker, bulkheads, deadline, retries,
 * and what the tool says should happen when all of that was not enough.
 */
import type { Call, CallRequest, Next } from '../../contract/call.ts';
import type { ToolError } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ApprovalDesk } from '../approval-desk.ts';
import type { Deadlines } from '../deadlines.ts';
import { failed } from '../outcome.ts';
import { attemptAll } from '../recovery/attempt-all.ts';
import type { Bulkhead } from '../recovery/bulkhead.ts';
import type { ToolGuards } from '../recovery/guards.ts';
import { type RescueDeps, rescue } from '../recovery/rescue.ts';
import type { ToolSettings } from '../tool-settings.ts';

export interface RecoverDeps extends Omit<RescueDeps, 'desk'> {
  readonly runtime: Runtime;
  readonly events: Events;
  readonly deadlines: Deadlines;
  readonly desk: ApprovalDesk;
  /** Shared by all tools; calls made by running tools do not wait for it, or they could wait for ever. */
  readonly allTools: Bulkhead;
  settingsOf(tool: Tool): ToolSettings;
  guardsOf(tool: Tool): ToolGuards;
}

type Ready = Call<'ready' | 'input' | 'grant' | 'budget'>;

/** Failures that say something about the health of the tool, not about the caller or the input. */
const UNHEALTHY = new Set<ToolError['type']>(['execution', 'timeout', 'network', 'dependency']);

const refuseOpen = (call: Ready, guards: ToolGuards, now: number): ToolResult | undefined => {
  for (const [index, breaker] of guards.breakers.entries()) {
    if (breaker.untroubled || breaker.admits(now)) continue;
    // The ones before gave this call their probe: take it back.
    for (const earlier of guards.breakers.slice(0, index)) earlier.abstained();
    const retryAfterMs = breaker.restMs(now);
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

/** Enters every bulkhead in order, or none. */
const enterAll = async (
  bulkheads: readonly Bulkhead[],
  call: CallRequest,
): Promise<ToolResult | undefined> => {
  for (const [index, bulkhead] of bulkheads.entries()) {
    const outcome = bulkhead.tryEnter() ? 'entered' : await bulkhead.enter(call.control);
    if (outcome === 'entered') continue;
    for (const entered of bulkheads.slice(0, index)) entered.leave();
    if (outcome === 'aborted') return failed(call, call.control.reason ?? 'CANCELLED');
    return failed(call, 'RATE_LIMITED', {
      message: 'Too many calls are running and waiting already.',
      suggestions: ['Call again when some of them are done.'],
    });
  }
  return undefined;
};

const bulkheadsFor = (call: Ready, deps: RecoverDeps): readonly Bulkhead[] => {
  const own = deps.guardsOf(call.ready.tool).bulkheads;
  return call.parent ? own : [...own, deps.allTools];
};

const guarded = async (call: Ready, next: Next<Ready>, deps: RecoverDeps): Promise<ToolResult> => {
  const { control } = call;
  const bulkheads = bulkheadsFor(call, deps);
  const settings = deps.settingsOf(call.ready.tool);
  const timeoutMs = Math.min(
    call.options.timeoutMs ?? Number.POSITIVE_INFINITY,
    settings.timeoutMs,
  );
  const deadline = deps.deadlines.after(timeoutMs, () => control.abort('TIMEOUT'));
  try {
    const refused = await enterAll(bulkheads, call);
    if (refused) return refused;
    try {
      return await attemptAll(call, next, { ...deps, retry: settings.retry });
    } finally {
      for (const bulkhead of bulkheads) bulkhead.leave();
    }
  } finally {
    deadline.cancel();
  }
};

export const recover = (deps: RecoverDeps): Stage<'ready' | 'input' | 'grant' | 'budget'> =>
  async function recover(call, next) {
    if (call.options.dryRun) return next(call);
    const refused = refuseOpen(call, deps.guardsOf(call.ready.tool), deps.runtime.now());
    const result = refused ?? (await guarded(call, next, deps));
    if (!refused) tellBreakers(call, result, deps);
    return result.success ? result : rescue(call, result, deps);
  };

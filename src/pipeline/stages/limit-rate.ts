/**
 * Keeps a caller within the tool's limits per hour and day, and stops an agent that repeats the same
 * call. Runs before `approve`, so that nobody is asked too often.
 */
import type { Call, Next } from '../../contract/call.ts';
import { type CallerNames, provenNames } from '../../contract/caller.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Counters, HitOutcome, Window } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { RateLimit } from '../../contract/tool-limits.ts';
import type { LoopBreaker } from '../../governance/ledger/loop-breaker.ts';
import { perCaller } from '../../governance/per-caller.ts';
import { DAY_MS, HOUR_MS } from '../../kit/data/durations.ts';
import { SERVER_TOOL } from '../internal-tool.ts';
import { failed } from '../outcome.ts';
import { perTool } from '../per-tool.ts';
import { prove } from '../pipeline.ts';
import type { ToolSettings } from '../tool-settings.ts';

const windowsOf = ({ maxPerHour, maxPerDay }: RateLimit): readonly Window[] => [
  ...(maxPerHour === undefined ? [] : [{ sizeMs: HOUR_MS, limit: maxPerHour }]),
  ...(maxPerDay === undefined ? [] : [{ sizeMs: DAY_MS, limit: maxPerDay }]),
];

/** How the calls of a tool are counted. */
interface Counting {
  readonly windows: readonly Window[];
  keyOf(names: CallerNames): string;
}

const countingOf = ({ name }: Tool, rateLimit: RateLimit | undefined): Counting | undefined =>
  rateLimit && {
    windows: windowsOf(rateLimit),
    keyOf: perCaller(({ userId, agentId }) =>
      JSON.stringify(['rate', userId, agentId, rateLimit.group ?? name]),
    ),
  };

export interface LimitRateDeps {
  readonly counters: Counters;
  readonly runtime: Runtime;
  /** Absent when it is switched off. */
  readonly loops: LoopBreaker | undefined;
  settingsOf(tool: Tool): ToolSettings;
}

type Fresh = Call<'ready' | 'input' | 'grant' | 'fresh'>;
type Onward = Next<Call<'ready' | 'input' | 'grant' | 'fresh' | 'admitted'>>;

const hit = (
  call: Fresh,
  { windows, keyOf }: Counting,
  { counters, runtime }: LimitRateDeps,
): Promise<HitOutcome> => {
  const key = keyOf(provenNames(call.caller));
  const now = runtime.now();
  return call.options.dryRun ? counters.peek(key, windows, now) : counters.hit(key, windows, now);
};

const admit = async (
  call: Fresh,
  next: Onward,
  hitting: Promise<HitOutcome>,
): Promise<ToolResult> => {
  const outcome = await hitting;
  if (outcome.ok) return next(prove(call, 'admitted', true));
  const seconds = Math.ceil(outcome.retryAfterMs / 1000);
  return failed(call, 'RATE_LIMITED', {
    retryAfterMs: outcome.retryAfterMs,
    suggestions: [`Call again in ${seconds} s.`],
  });
};

const isLoop = (call: Fresh, { loops }: LimitRateDeps): boolean => {
  // A client may read one resource of a server each time that it has changed.
  if (!loops || call.options.dryRun || call.internal?.tool.name === SERVER_TOOL) return false;
  const { caller, input, ready } = call;
  return !loops.admits(caller, { tool: ready.tool.name, input }, call.startedAt);
};

export const limitRate = (
  deps: LimitRateDeps,
): Stage<'ready' | 'input' | 'grant' | 'fresh', 'admitted'> => {
  const perToolCounting = perTool((tool) => countingOf(tool, deps.settingsOf(tool).rateLimit));
  return function limitRate(call, next) {
    if (isLoop(call, deps)) {
      return Promise.resolve(
        failed(call, 'LOOP_DETECTED', {
          suggestions: ['Look at the results so far, and change the input or the plan.'],
        }),
      );
    }
    const counting = perToolCounting(call.ready.tool);
    if (!counting) return next(prove(call, 'admitted', true));
    return admit(call, next, hit(call, counting, deps));
  };
};

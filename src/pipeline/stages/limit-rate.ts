/** Keeps a caller within the tool's limits per hour and day. Also spares the approver a flood. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Counters, Window } from '../../contract/store.ts';
import type { RateLimit, Tool } from '../../contract/tool.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';
import type { ToolSettings } from '../tool-settings.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const windowsOf = ({ maxPerHour, maxPerDay }: RateLimit): readonly Window[] => [
  ...(maxPerHour === undefined ? [] : [{ sizeMs: HOUR_MS, limit: maxPerHour }]),
  ...(maxPerDay === undefined ? [] : [{ sizeMs: DAY_MS, limit: maxPerDay }]),
];

export interface LimitRateDeps {
  readonly counters: Counters;
  readonly runtime: Runtime;
  settingsOf(tool: Tool): ToolSettings;
}

export const limitRate = (
  deps: LimitRateDeps,
): Stage<'ready' | 'input' | 'grant' | 'fresh', 'admitted'> =>
  async function limitRate(call, next) {
    const { tool } = call.ready;
    const { rateLimit } = deps.settingsOf(tool);
    if (!rateLimit) return next(prove(call, 'admitted', true));
    const key = JSON.stringify(['rate', call.caller.userId, call.caller.agentId, tool.name]);
    const windows = windowsOf(rateLimit);
    const now = deps.runtime.now();
    const outcome = call.options.dryRun
      ? await deps.counters.peek(key, windows, now)
      : await deps.counters.hit(key, windows, now);
    if (outcome.ok) return next(prove(call, 'admitted', true));
    const seconds = Math.ceil(outcome.retryAfterMs / 1000);
    return failed(call, 'RATE_LIMITED', {
      retryAfterMs: outcome.retryAfterMs,
      suggestions: [`Call again in ${seconds} s.`],
    });
  };

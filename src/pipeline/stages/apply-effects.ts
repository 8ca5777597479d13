/** Applies a tool's effects in order after it succeeded; one failure rolls back those before it. */
import type { Call, Next } from '../../contract/call.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Effect } from '../../contract/effect.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import { within } from '../../kit/data/bounded-work.ts';
import { thrownText } from '../../kit/data/reason-of.ts';
import type { Contexts } from '../broker/context.ts';
import { applyEffect, type EffectDeps, type Rollback } from '../effects/apply-effect.ts';
import { failed } from '../outcome.ts';
import { codedFailure } from '../record/read-thrown.ts';
import type { ToolSettings } from '../tool-settings.ts';

export interface ApplyEffectsDeps extends EffectDeps {
  readonly contexts: Contexts;
  readonly runtime: Pick<Runtime, 'after'>;
  settingsOf(tool: Tool): ToolSettings;
}

type Budgeted = Call<'ready' | 'budget'>;

const NO_EFFECTS: readonly Effect[] = Object.freeze([]);

const effectsOf = (call: Call<'ready'>): readonly Effect[] => call.ready.tool.effects ?? NO_EFFECTS;

interface Applied {
  readonly description: string;
  readonly rollBack: Rollback | undefined;
}

/** Waits for one effect no longer than for the tool itself: its code may never settle. */
type InTime = <T>(work: () => Promise<T>) => Promise<T>;

/** Rolls back in reverse order, past those that fail. Returns the effects that remain. */
const rollBack = async (
  applied: readonly Applied[],
  context: ToolContext,
  inTime: InTime,
): Promise<readonly string[]> => {
  const standing: string[] = [];
  for (const effect of applied.toReversed()) {
    try {
      if (effect.rollBack) await inTime(effect.rollBack);
      else standing.unshift(effect.description);
    } catch (error) {
      standing.unshift(effect.description);
      context.logger.error('effect could not be rolled back', {
        effect: effect.description,
        error: thrownText(error),
      });
    }
  }
  return standing;
};

const adviceOn = (applied: readonly Applied[], standing: readonly string[]): string => {
  if (applied.length === 0) return 'It was the first effect: there was nothing to roll back.';
  if (standing.length === 0) return 'The effects before it were rolled back.';
  return `${standing.length} of the ${applied.length} effects before it still stand: ${standing.join('; ')}.`;
};

const applyAll = async (
  call: Call<'ready'>,
  result: ToolResult,
  deps: ApplyEffectsDeps,
): Promise<ToolResult> => {
  const context = deps.contexts.of(call);
  const { timeoutMs } = deps.settingsOf(call.ready.tool);
  const inTime: InTime = (work) => within(deps.runtime, timeoutMs, work);
  const scene = { context, caller: call.caller, result, deps };
  const applied: Applied[] = [];
  for (const effect of effectsOf(call)) {
    try {
      const undo = await inTime(() => applyEffect(effect, scene));
      applied.push({ description: effect.description, rollBack: undo });
    } catch (error) {
      context.logger.error('effect failed', {
        effect: effect.description,
        error: thrownText(error),
      });
      const standing = await rollBack(applied, context, inTime);
      return failed(call, 'EFFECT_FAILED', {
        message: `The tool ran, but this effect failed: ${effect.description}.`,
        standing,
        suggestions: [
          ...(codedFailure(error)?.code === 'TIMEOUT'
            ? ['It did not end in time: it may still take effect.']
            : []),
          adviceOn(applied, standing),
          `Undo the call itself with: toolcrib undo ${call.executionId}`,
        ],
      });
    }
  }
  return result;
};

const runAndApply = async (
  call: Budgeted,
  next: Next<Budgeted>,
  deps: ApplyEffectsDeps,
): Promise<ToolResult> => {
  const result = await next(call);
  return result.success ? applyAll(call, result, deps) : result;
};

export const applyEffects = (deps: ApplyEffectsDeps): Stage<'ready' | 'budget'> =>
  function applyEffects(call, next) {
    if (effectsOf(call).length === 0 || call.options.dryRun) return next(call);
    return runAndApply(call, next, deps);
  };

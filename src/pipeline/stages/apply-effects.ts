/** Applies a tool's effects in order after it succeeded; one failure rolls back those before it. */
import type { Call } from '../../contract/call.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Effect } from '../../contract/effect.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Contexts } from '../context.ts';
import { applyEffect, type EffectDeps, type Rollback } from '../effects/apply-effect.ts';
import { failed } from '../outcome.ts';

export interface ApplyEffectsDeps extends EffectDeps {
  readonly contexts: Contexts;
}

/** In reverse; one that cannot be rolled back does not keep the others from it. */
const rollBack = async (applied: readonly Rollback[], context: ToolContext): Promise<number> => {
  let stuck = 0;
  for (const undo of applied.toReversed()) {
    try {
      await undo();
    } catch (error) {
      stuck++;
      context.logger.error('effect could not be rolled back', { error: String(error) });
    }
  }
  return stuck;
};

const applyAll = async (
  call: Call<'ready'>,
  result: ToolResult,
  deps: ApplyEffectsDeps & { readonly effects: readonly Effect[] },
): Promise<ToolResult> => {
  const context = deps.contexts.of(call);
  const applied: Rollback[] = [];
  for (const effect of deps.effects) {
    try {
      applied.push(await applyEffect(effect, { context, result, deps }));
    } catch (error) {
      context.logger.error('effect failed', { effect: effect.description, error: String(error) });
      const stuck = await rollBack(applied, context);
      return failed(call, 'EFFECT_FAILED', {
        message: `The tool ran, but this effect failed: ${effect.description}.`,
        suggestions: [
          stuck > 0
            ? `${stuck} of the effects before it could not be rolled back: look at the log.`
            : 'The effects before it were rolled back.',
          `Undo the call itself with: toolcrib undo ${call.executionId}`,
        ],
      });
    }
  }
  return result;
};

export const applyEffects = (deps: ApplyEffectsDeps): Stage<'ready' | 'budget'> =>
  function applyEffects(call, next) {
    const { effects } = call.ready.tool;
    if (!effects || effects.length === 0 || call.options.dryRun) return next(call);
    return next(call).then((result) =>
      result.success ? applyAll(call, result, { ...deps, effects }) : result,
    );
  };

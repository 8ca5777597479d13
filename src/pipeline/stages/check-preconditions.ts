/** Critical preconditions stop the call, others mark it degraded. A check that throws has failed. */

import type { ToolContext } from '../../contract/context.ts';
import type {
  Precondition,
  PreconditionCheck,
  PreconditionReport,
} from '../../contract/precondition.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Contexts } from '../broker/context.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';

const NONE: PreconditionReport = Object.freeze({
  passed: true,
  criticalFailed: false,
  canProceed: true,
  degradedMode: false,
  results: Object.freeze([]),
});

const check = async (
  precondition: Precondition,
  context: ToolContext,
): Promise<PreconditionCheck> => {
  const { type, description, critical } = precondition;
  let passed = false;
  try {
    passed = (await precondition.check(context)) === true;
  } catch {
    context.logger.warn('precondition threw', { description });
  }
  return { type, description, critical, passed };
};

/** Checks all of them, in order, so that the caller learns of everything at once. */
export const reportOn = async (
  preconditions: readonly Precondition[],
  context: ToolContext,
): Promise<PreconditionReport> => {
  const results: PreconditionCheck[] = [];
  for (const each of preconditions) results.push(await check(each, context));
  const passed = results.every((result) => result.passed);
  const criticalFailed = results.some((result) => result.critical && !result.passed);
  return {
    passed,
    criticalFailed,
    canProceed: !criticalFailed,
    degradedMode: !passed && !criticalFailed,
    results,
  };
};

export const checkPreconditions = (
  contexts: Contexts,
): Stage<'ready' | 'input' | 'authenticated', 'preconditions'> =>
  function checkPreconditions(call, next) {
    const { preconditions } = call.ready.tool;
    if (!preconditions || preconditions.length === 0) {
      return next(prove(call, 'preconditions', NONE));
    }
    return reportOn(preconditions, contexts.of(call)).then((report) => {
      call.notes.degraded = report.degradedMode;
      if (report.canProceed) return next(prove(call, 'preconditions', report));
      const unmet = report.results.filter(({ critical, passed }) => critical && !passed);
      return failed(call, 'PRECONDITION_FAILED', {
        message: `Not met: ${unmet.map(({ description }) => description).join('; ')}`,
        suggestions: unmet.map(({ description }) => description),
      });
    });
  };

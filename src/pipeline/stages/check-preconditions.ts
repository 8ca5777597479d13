/** Stops a call when a critical precondition is not met; any other marks it degraded. A throw is not met. */
import type { Call, Next } from '../../contract/call.ts';
import type {
  Precondition,
  PreconditionCheck,
  PreconditionReport,
} from '../../contract/precondition.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Tool } from '../../contract/tool.ts';
import { within } from '../../kit/data/bounded-work.ts';
import type { Contexts } from '../broker/context.ts';
import {
  judgePrecondition,
  type PreconditionDeps,
  type PreconditionScene,
} from '../judge-precondition.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';
import type { ToolSettings } from '../tool-settings.ts';

const NONE: PreconditionReport = Object.freeze({
  passed: true,
  criticalFailed: false,
  canProceed: true,
  degradedMode: false,
  results: Object.freeze([]),
});

/** A precondition that has not answered by then, or in the time of the call, is not met. */
const ANSWER_MS = 10_000;

export interface CheckPreconditionsDeps extends PreconditionDeps {
  readonly contexts: Contexts;
  readonly runtime: Pick<Runtime, 'after'>;
  settingsOf(tool: Tool): ToolSettings;
  /** Chooses which ones are judged; all when absent. */
  isChecked?(precondition: Precondition): boolean;
}

type Authenticated = Call<'ready' | 'input' | 'authenticated'>;
type Onward = Next<Call<'ready' | 'input' | 'authenticated' | 'preconditions'>>;

const KINDS: readonly unknown[] = ['resource', 'state', 'permission', 'dependency', 'custom'];

/** Counts a required resource and an unknown kind as critical, too. */
const isCritical = (precondition: Precondition): boolean =>
  precondition.critical ||
  !KINDS.includes(precondition.type) ||
  (precondition.type === 'resource' && precondition.availability === 'required');

interface CheckScene extends PreconditionScene {
  readonly deps: CheckPreconditionsDeps;
  readonly answerMs: number;
  /** Resolves when the call is aborted: then no answer is waited for. */
  readonly aborted: Promise<false>;
}

const sceneOf = (call: Authenticated, deps: CheckPreconditionsDeps): CheckScene => {
  const { timeoutMs } = deps.settingsOf(call.ready.tool);
  const answerMs = Math.min(ANSWER_MS, timeoutMs, call.options.timeoutMs ?? timeoutMs);
  const aborted = new Promise<false>((resolve) => call.control.onAbort(() => resolve(false)));
  return { call, context: deps.contexts.of(call), deps, answerMs, aborted };
};

const check = async (precondition: Precondition, scene: CheckScene): Promise<PreconditionCheck> => {
  const { type, description } = precondition;
  const { deps, answerMs, aborted, context } = scene;
  let passed = false;
  let isAnswered = false;
  const judged = async (): Promise<boolean> => {
    try {
      return await Promise.race([judgePrecondition(precondition, scene), aborted]);
    } finally {
      isAnswered = true;
    }
  };
  try {
    passed = await within(deps.runtime, answerMs, judged);
  } catch {
    const what = isAnswered ? 'precondition threw' : 'precondition timed out';
    context.logger.warn(what, { description });
  }
  return { type, description, critical: isCritical(precondition), passed };
};

/** Checks all of them, in order, so that the caller learns of everything at once; ends early with the call. */
const reportOn = async (
  preconditions: readonly Precondition[],
  scene: CheckScene,
): Promise<PreconditionReport> => {
  const results: PreconditionCheck[] = [];
  for (const each of preconditions) {
    if (scene.call.control.aborted) break;
    results.push(await check(each, scene));
  }
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

const checkAll = async (
  call: Authenticated,
  next: Onward,
  deps: CheckPreconditionsDeps & { readonly preconditions: readonly Precondition[] },
): Promise<ToolResult> => {
  const report = await reportOn(deps.preconditions, sceneOf(call, deps));
  const { reason } = call.control;
  if (reason) return failed(call, reason);
  call.notes.degraded = report.degradedMode;
  if (report.canProceed) return next(prove(call, 'preconditions', report));
  const unmet = report.results.filter(({ critical, passed }) => critical && !passed);
  return failed(call, 'PRECONDITION_FAILED', {
    message: `Not met: ${unmet.map(({ description }) => description).join('; ')}`,
    suggestions: unmet.map(({ description }) => description),
  });
};

export const checkPreconditions = (
  deps: CheckPreconditionsDeps,
): Stage<'ready' | 'input' | 'authenticated', 'preconditions'> =>
  function checkPreconditions(call, next) {
    const { preconditions: all } = call.ready.tool;
    const preconditions = deps.isChecked ? all?.filter(deps.isChecked) : all;
    if (!preconditions || preconditions.length === 0) {
      return next(prove(call, 'preconditions', NONE));
    }
    return checkAll(call, next, { ...deps, preconditions });
  };

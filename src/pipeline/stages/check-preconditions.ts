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
  readonly call: Authenticated;
  readonly deps: CheckPreconditionsDeps;
}

const unmet = ({ context }: CheckScene, description: string, what: string): false => {
  context.logger.warn(what, { description });
  return false;
};

/** Waits for an answer while the call lasts, and no longer than the time of a check or of the call. */
const waitFor = async (
  judging: Promise<boolean>,
  description: string,
  scene: CheckScene,
): Promise<boolean> => {
  const { call, deps } = scene;
  const { timeoutMs } = deps.settingsOf(call.ready.tool);
  const answerMs = Math.min(ANSWER_MS, timeoutMs, call.options.timeoutMs ?? timeoutMs);
  const aborted = new Promise<false>((resolve) => call.control.onAbort(() => resolve(false)));
  let isAnswered = false;
  const answer = judging.finally(() => {
    isAnswered = true;
  });
  try {
    return await within(deps.runtime, answerMs, () => Promise.race([answer, aborted]));
  } catch {
    return unmet(scene, description, `precondition ${isAnswered ? 'threw' : 'timed out'}`);
  }
};

/** Judges a precondition; most answer at once. One that fails to answer is not met. */
const isMet = (precondition: Precondition, scene: CheckScene): boolean | Promise<boolean> => {
  const { description } = precondition;
  try {
    const answer = judgePrecondition(precondition, scene);
    return typeof answer === 'boolean' ? answer : waitFor(answer, description, scene);
  } catch {
    return unmet(scene, description, 'precondition threw');
  }
};

/** Checks all of them, in order, so that the caller learns of everything at once; ends early with the call. */
const reportOn = async (
  preconditions: readonly Precondition[],
  scene: CheckScene,
): Promise<PreconditionReport> => {
  const results: PreconditionCheck[] = [];
  for (const each of preconditions) {
    if (scene.call.control.aborted) break;
    const { type, description } = each;
    const answer = isMet(each, scene);
    const passed = typeof answer === 'boolean' ? answer : await answer;
    results.push({ type, description, critical: isCritical(each), passed });
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
  { deps, preconditions }: { deps: CheckPreconditionsDeps; preconditions: readonly Precondition[] },
): Promise<ToolResult> => {
  const scene = { call, context: deps.contexts.of(call), deps };
  const report = await reportOn(preconditions, scene);
  const { reason } = call.control;
  if (reason) return failed(call, reason);
  call.notes.degraded = report.degradedMode;
  if (report.canProceed) return next(prove(call, 'preconditions', report));
  const notMet = report.results.filter(({ critical, passed }) => critical && !passed);
  return failed(call, 'PRECONDITION_FAILED', {
    message: `Not met: ${notMet.map(({ description }) => description).join('; ')}`,
    suggestions: notMet.map(({ description }) => description),
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
    return checkAll(call, next, { deps, preconditions });
  };

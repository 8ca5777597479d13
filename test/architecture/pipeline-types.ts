/**
 * What must not compile: a pipeline without a gate, gates in the wrong order, a stage that forgets
 * `return next(…)` or waves a call through without its proof. Compiled, never run.
 */
import type { Call, CallRequest, Evidence, Next } from '../../src/contract/call.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import type { FinalStage, Stage } from '../../src/contract/stage.ts';
import { pipeline, prove } from '../../src/pipeline/pipeline.ts';

declare const resolve: Stage<never, 'ready'>;
declare const validateInput: Stage<'ready', 'input'>;
declare const authorize: Stage<'ready' | 'input', 'grant'>;
declare const otherGates: Stage<
  'ready' | 'input' | 'grant',
  Exclude<keyof Evidence, 'ready' | 'input' | 'grant'>
>;
declare const governResult: Stage<'ready'>;
declare const execute: FinalStage;

/** The control: with every gate in its order it compiles, and takes a bare request. */
export const complete: Next<CallRequest> = pipeline()
  .through(resolve)
  .through(validateInput)
  .through(authorize)
  .through(otherGates)
  .through(governResult)
  .endingIn(execute);

export const missingGate = pipeline()
  .through(resolve)
  .through(validateInput)
  .through(authorize)
  // @ts-expect-error the final stage asks for evidence that nobody added
  .endingIn(execute);

export const missingEveryGate = pipeline()
  // @ts-expect-error the final stage asks for evidence that nobody added
  .endingIn(execute);

export const wrongOrder = pipeline()
  .through(resolve)
  // @ts-expect-error authorize judges what was parsed, so it cannot come before validateInput
  .through(authorize)
  .through(validateInput);

export const nothingResolved = pipeline()
  // @ts-expect-error there is no tool yet whose schema could be asked
  .through(validateInput);

// @ts-expect-error a stage that forgets to return what next answers
export const forgetsToReturn: Stage<'ready', 'input'> = async (call, next) => {
  await next(prove(call, 'input', call.rawInput));
};

export const wavesThrough: Stage<'ready', 'input'> = async (call, next) =>
  // @ts-expect-error the call does not carry the proof that this gate has to add
  next(call);

export const provesSomethingElse: Stage<'ready', 'input'> = async (call, next) =>
  // @ts-expect-error the proof of another gate is no proof of this one
  next(prove(call, 'fresh', true));

export const provesWithNonsense: Stage<'ready', 'fresh'> = async (call, next) =>
  // @ts-expect-error the proof has the wrong type
  next(prove(call, 'fresh', 'yes'));

export const readsWhatIsNotThere = async (call: Call<'ready'>): Promise<ToolResult> => {
  // @ts-expect-error no gate has added a grant yet
  call.grant.rule;
  return execute(call as Call<keyof Evidence>);
};

// @ts-expect-error a call that passed some gates is no call that passed them all
export const runsTooEarly = (call: Call<'ready' | 'input'>) => execute(call);

/**
 * Tells which answers count for the steps of runs and the calls of jobs: each has questions of its own, and
 * its answer counts however late it goes on.
 */
import type { ApprovalRecord } from '../../contract/approver.ts';
import { durableStepOf } from '../durable-work.ts';
import type { JudgedCall } from './call-bindings.ts';

/** Tells whether the answer to this question is for the call. That of a step is for that step alone. */
export const mayAnswer = ({ step }: ApprovalRecord, call: JudgedCall): boolean =>
  step === undefined || step === durableStepOf(call);

/** Tells whether this very step has asked. */
export const isOfStep = ({ step }: ApprovalRecord, call: JudgedCall): boolean =>
  step !== undefined && step === durableStepOf(call);

/** Tells whether nothing names the step of a run: its equal calls that only read have equal questions. */
export const isUnnamedStep = (call: JudgedCall): boolean =>
  durableStepOf(call) !== undefined && call.options.idempotencyKey === undefined;

/** Names the step of a run, or the call of a job, that no other call can be; `undefined` for any other call. */
export const namedStepOf = (call: JudgedCall): string | undefined =>
  call.options.idempotencyKey === undefined ? undefined : durableStepOf(call);

/**
 * Says when the step was answered that has asked: in time, however late it goes on. Any other approval has to
 * be in time when it is used.
 */
export const answerMoment = (record: ApprovalRecord, call: JudgedCall): number | undefined =>
  isOfStep(record, call) ? record.decidedAt : undefined;

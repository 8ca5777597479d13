/** What is said when the code of a flow no longer makes the steps that are on record. */
import { type ToolError, toolError } from '../contract/errors.ts';
import type { JournalStep } from '../contract/flow-store.ts';

const CHANGED =
  'Register the version of the flow that the run began with, or give changed code a new version.';

/** The key of the step that keeps which data a declared flow began with. */
export const DEFINITION_KEY = 'flow-definition';

const diverged = (message: string, ...more: readonly string[]): ToolError =>
  toolError('CONFLICT', message, { suggestions: [CHANGED, ...more] });

/** Compares a step with its record; `undefined` when it is the same. */
export const differentStep = (
  past: JournalStep,
  { kind, name, digest }: Pick<JournalStep, 'kind' | 'name' | 'digest'>,
): ToolError | undefined => {
  const isNamesake = past.kind === kind && past.name === name;
  if (isNamesake && past.digest === digest) return undefined;
  if (past.key === DEFINITION_KEY && past.kind === kind) {
    return diverged('The data of the flow has changed under the version that the run began with.');
  }
  const was = `${past.kind} ${past.name}`;
  return diverged(
    isNamesake
      ? `Step ${past.key} (${was}) has another input than on record.`
      : `Step ${past.key} is ${kind} ${name}; on record it is ${was}.`,
  );
};

/** Describes a step on record that the code goes on without, as `but` says. */
export const missingStep = ({ key, kind, name }: JournalStep, but: string): ToolError =>
  diverged(`Step ${key} (${kind} ${name}) is on record, but ${but}.`);

/** Describes a step on record when the code has made no step at all for so long. */
export const stalledStep = ({ key, kind, name }: JournalStep, minutes: number): ToolError =>
  diverged(
    `Step ${key} (${kind} ${name}) is on record, but the code has not made it for ${minutes} minutes.`,
    'If the code only takes that long between two steps: move that work into flow.value, then resume the run.',
  );

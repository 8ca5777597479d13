/** What a job is about, and why it failed, in a line. */
import type { ToolError } from '../../../contract/errors.ts';
import type { Job } from '../../../contract/queue.ts';
import { isRecord } from '../../../kit/data/is-record.ts';

/** The field of a payload that names what a job of this type runs. */
const SUBJECTS: Readonly<Record<string, string>> = {
  tool: 'tool',
  flow: 'flow',
  execute_workflow: 'workflowId',
};

/** Names the tool or flow that a job runs; `undefined` for jobs of other types. */
export const subjectOf = ({ type, payload }: Pick<Job, 'type' | 'payload'>): string | undefined => {
  const field = Object.hasOwn(SUBJECTS, type) ? SUBJECTS[type] : undefined;
  const name = field !== undefined && isRecord(payload) ? payload[field] : undefined;
  return typeof name === 'string' ? name : undefined;
};

/** Writes an error with the name that was probably meant; its other suggestions are in `jobs show`. */
export const errorText = ({ code, message, suggestions }: ToolError): string => {
  const meant = suggestions.filter((each) => each.startsWith('Did you mean'));
  return [`${code}: ${message}`, ...meant].join(' ');
};

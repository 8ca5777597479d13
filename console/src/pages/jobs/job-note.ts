/** The second line of a job in the list: what tells it apart from others of its type. */
import type { JobRecord } from '../../api/job-records.ts';

/** Fields of payloads that name what a job is about. */
const NAMES = ['tool', 'flow', 'workflowId'] as const;

/** Names the tool or flow that a job is about; `undefined` where its payload names none or is withheld. */
export const jobSubject = ({ payload }: JobRecord): string | undefined => {
  const fields = Object(payload) as Readonly<Record<string, unknown>>;
  const names = NAMES.map((name) => fields[name]);
  return names.find((name) => typeof name === 'string');
};

/** Says which tool or flow a job is about and why it waits or failed; its id where nothing says that. */
export const jobNote = (job: JobRecord): string => {
  const { id, state, error, waitsFor = [] } = job;
  const subject = jobSubject(job);
  const problem =
    waitsFor.length > 0
      ? 'waits for a person'
      : error && state !== 'completed' && `${error.code}: ${error.message}`;
  return problem ? [subject, problem].filter(Boolean).join(' · ') : (subject ?? id);
};

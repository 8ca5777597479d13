import { expect, it } from 'vitest';
import type { JobRecord } from '../../api/job-records.ts';
import { jobNote } from './job-note.ts';

const job = (over: Partial<JobRecord>) =>
  ({ id: 'job-1', type: 'tool', state: 'delayed', ...over }) as JobRecord;
const error = { code: 'NETWORK', message: 'No way there.' } as NonNullable<JobRecord['error']>;
const payload = { tool: 'http_request', input: {} };

it.each([
  [
    'a dead job with its tool and its error',
    { state: 'dead', error, payload },
    'http_request · NETWORK: No way there.',
  ],
  [
    'a job that waits for a person',
    { payload, waitsFor: ['approval:a1'] },
    'http_request · waits for a person',
  ],
  ['a job with its tool', { payload }, 'http_request'],
  ['a job with its flow', { type: 'execute_workflow', payload: { workflowId: 'save' } }, 'save'],
  ['a dead job without its withheld payload', { state: 'dead', error }, 'NETWORK: No way there.'],
  ['a job of which nothing is known by its id', { payload: 7 }, 'job-1'],
] as const)('the list shows %s', (_, over, note) => {
  expect(jobNote(job(over))).toBe(note);
});

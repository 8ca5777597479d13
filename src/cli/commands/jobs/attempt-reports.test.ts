import { expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import { toolError } from '../../../contract/errors.ts';
import type { Job, JobEnd } from '../../../contract/queue.ts';
import { AttemptReports, attemptFields, printAttempt } from './attempt-reports.ts';

const job = { id: 'job-1', type: 'tool', queue: 'mail', attempts: 0, caller: LOCAL_CALLER } as Job;
const asked = (approvalId: string): JobEnd => ({
  ...{ state: 'postponed', retryAfterMs: 2_000, approvalId },
  reason: 'A person has to approve a call of this job.',
});
const COMPLETED: JobEnd = { state: 'completed' };

it('a job that waits for a person is reported once, and is no attempt until it ends', () => {
  const reports = new AttemptReports();
  const ends = [asked('a1'), asked('a1'), asked('a2'), COMPLETED, asked('a2')];
  expect(ends.map((end) => reports.isNews(job, end))).toEqual([true, false, true, true, true]);
  expect(reports.count).toBe(1);
});

it('the line of a job that waits for a person names the question', () => {
  const text = fakeIo();
  printAttempt(text.io, job, asked('a1'));
  expect(text.out()).toBe('tool job-1 waits for a person: toolcrib approvals show a1\n');
  const json = fakeIo();
  printAttempt({ ...json.io, json: true }, job, asked('a1'));
  expect(JSON.parse(json.out())).toMatchObject({ end: 'postponed', approvalId: 'a1' });
  expect(attemptFields(job, asked('a1'))).toMatchObject({ approvalId: 'a1', state: 'postponed' });
});

it('the line of a job that waits for something else says for what', () => {
  const { io, out } = fakeIo();
  printAttempt(io, job, { state: 'postponed', retryAfterMs: 1, reason: 'The run r is not over.' });
  expect(out()).toBe('tool job-1 postponed: The run r is not over.\n');
});

it('the line of a job whose tool is misspelt names the tool that was meant', () => {
  const { io, out } = fakeIo();
  const suggestions = ['Did you mean calculator?', 'See them all: toolcrib tools'];
  const error = toolError('TOOL_NOT_FOUND', 'There is no tool of that name.', { suggestions });
  printAttempt(io, job, { state: 'failed', error, retryable: false });
  expect(out()).toContain('There is no tool of that name. Did you mean calculator?\n');
});

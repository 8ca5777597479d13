import { expect, it } from 'vitest';
import type { ApprovalRecord } from '../contract/approver.ts';
import { LOCAL_CALLER } from '../contract/caller.ts';
import type { Job, JobState } from '../contract/queue.ts';
import { withWaits } from './job-waits.ts';

const NOW = 1_000;
const aJob = (id: string, state: JobState = 'delayed') =>
  ({ id, state, caller: LOCAL_CALLER }) as Job;
const question = (step: string, over: Partial<ApprovalRecord> = {}) =>
  ({ id: 'a1', userId: LOCAL_CALLER.userId, expiresAt: NOW + 1, step, ...over }) as ApprovalRecord;

const waitsOf = async (job: Job, asked: ApprovalRecord) => {
  const deps = { runtime: { now: () => NOW }, questions: async () => [asked] };
  return (await withWaits([job], deps))[0]?.waitsFor;
};

it.each([
  ['a call that changes something', 'job:job-1:send:1'],
  ['a call that only reads', 'job:job-1'],
  ['a step of the run of the job', 'flow:job-job-1-2:step'],
])('a job waits for the question of %s', async (_, step) => {
  expect(await waitsOf(aJob('job-1'), question(step))).toEqual(['approval:a1']);
});

it.each([
  ['of another job', aJob('job-1'), question('job:job-10:send:1')],
  ['of another user', aJob('job-1'), question('job:job-1:send:1', { userId: 'eve' })],
  ['that has expired', aJob('job-1'), question('job:job-1:send:1', { expiresAt: NOW })],
  ['once it is over', aJob('job-1', 'cancelled'), question('job:job-1:send:1')],
])('a job does not wait for a question %s', async (_, job, asked) => {
  expect(await waitsOf(job, asked)).toBeUndefined();
});
